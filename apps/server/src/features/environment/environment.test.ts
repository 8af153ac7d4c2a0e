import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findPython } from "../../executors/local.ts";
import { createJobs, type Jobs } from "../jobs/tray.ts";
import { createEnvironment, type Environment } from "./index.ts";
import { locateEnvironment } from "./install.ts";
import { fillIndex } from "./testing/wheels.ts";

const log = pino({ level: "silent" });
const before = { ...process.env };
let folder: string;
let index: string;
let jobs: Jobs;
let environment: Environment;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-environment-"));
  index = join(folder, "index");
  mkdirSync(index);
  Object.assign(process.env, {
    SIGHTLINE_CACHE: join(folder, "cache"),
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: index,
    PIP_CONFIG_FILE: "/dev/null",
  });
  jobs = createJobs(log);
  environment = createEnvironment({ jobs, log, interpreter: null });
});

afterEach(async () => {
  await jobs.close();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

const locate = async () => locateEnvironment(await findPython(process.env.PATH ?? ""));

/** Prepares and waits for the end. */
async function prepare(options?: { isRepair: boolean }) {
  const job = await environment.prepare(options);
  const now = () => jobs.list().find(({ job_id }) => job_id === job?.job_id);
  while (now()?.state === "waiting" || now()?.state === "running") await setTimeout(50);
  return now();
}

it("an environment is made once, says its versions, and is shared by all who pin the same", async () => {
  expect(await environment.status()).toMatchObject({ state: "absent", problem: null, python: null });
  await fillIndex(index);
  const job = await prepare();
  expect(job).toMatchObject({ state: "done", problem: null });
  expect(job?.done).toBe(job?.total);
  const status = await environment.status();
  expect(status).toMatchObject({ state: "ready", versions: { torch: "2.13.0", cuda: false } });
  expect(existsSync(status.python ?? "")).toBe(true);
  expect(await environment.prepare()).toBeNull();
  expect(await createEnvironment({ jobs, log, interpreter: null }).status()).toEqual(status);
});

it("a package that cannot be had is told in plain words; the next preparation goes on from there", async () => {
  await fillIndex(index, "trl");
  expect(await prepare()).toMatchObject({ state: "failed" });
  const { state, problem } = await environment.status();
  expect(state).toBe("absent");
  expect(problem).toMatch(/^Could not install the trainer's packages\. .*use Python/);
  await fillIndex(index);
  expect(await prepare()).toMatchObject({ state: "done" });
  expect(await environment.status()).toMatchObject({ state: "ready", problem: null });
});

it("one that was cancelled half-made is not taken for a whole one, and is finished later", async () => {
  await fillIndex(index);
  const place = await locate();
  const job = await environment.prepare();
  while (!existsSync(place.python)) await setTimeout(10);
  expect((await environment.status()).state).toBe("preparing");
  expect((await environment.prepare())?.job_id).toBe(job?.job_id);
  jobs.cancel(job?.job_id ?? "");
  while (jobs.list()[0]?.state === "running") await setTimeout(20);
  expect(jobs.list()[0]?.state).toBe("cancelled");
  expect((await environment.status()).state).toBe("absent");
  expect(await prepare()).toMatchObject({ state: "done" });
  expect((await environment.status()).state).toBe("ready");
});

it("a broken one is mended: without its interpreter by preparing, without its packages by repairing", async () => {
  await fillIndex(index);
  await prepare();
  const place = await locate();
  rmSync(place.python);
  expect((await environment.status()).state).toBe("absent");
  expect(await prepare()).toMatchObject({ state: "done" });

  const lib = join(place.dir, "lib");
  const packages = join(lib, readdirSync(lib)[0] ?? "", "site-packages");
  writeFileSync(join(packages, "torch/__init__.py"), "raise ImportError('libgone.so: cannot open')\n");
  expect(await prepare({ isRepair: true })).toMatchObject({ state: "done" });
  expect(readFileSync(join(packages, "torch/__init__.py"), "utf8")).toContain("2.13.0");
  expect((await environment.status()).state).toBe("ready");
});

it("an interpreter of one's own is adopted when it has the packages, and told what it lacks when not", async () => {
  await fillIndex(index);
  await prepare();
  const { python } = await environment.status();
  const own = createEnvironment({ jobs, log, interpreter: python });
  expect(await own.status()).toMatchObject({ state: "ready", python });
  expect(await own.prepare()).toBeNull();
  const bare = join(folder, "bare");
  execFileSync(await findPython(process.env.PATH ?? ""), ["-m", "venv", "--without-pip", bare]);
  const lacking = createEnvironment({ jobs, log, interpreter: join(bare, "bin/python") });
  const status = await lacking.status();
  expect(status.state).toBe("absent");
  expect(status.problem).toMatch(/Could not import the trainer's packages[\s\S]*No module named 'torch'/);
});
