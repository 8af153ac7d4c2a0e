import { existsSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { isKnown } from "@sightline/core/runs";
import { findChromium } from "../../../scripts/lib/chromium.ts";
import { attachSshd } from "../src/executors/testing/attach.ts";
import { type Sshd, startSshd, whyNoSshd } from "../src/executors/testing/sshd.ts";
import { followRuns } from "../src/features/runs/testing/follower.ts";
import { smallRun } from "../src/features/runs/testing/launch.ts";
import { attemptProcesses, processesOf } from "../src/features/runs/testing/processes.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "../src/features/runs/testing/servers.ts";

/**
 * G1: from the moment a host writes a line to the client's callback, and to the picture, with 20 runs at one step a
 * second. L1: from the press of the button to a living process, and from Stop to none. Each on this machine and over SSH
 * to an sshd on loopback. `pnpm bench hosts [SECONDS]`.
 */

const RUNS = 20;
const SECS = Number(process.argv[2] ?? 30);
const LAUNCHES = 10;

const { dataDir, remove } = makeDataDir("bench");
/** Where runs go. `folder` holds `runs` there. */
type Place = { id: string; host_id: string; folder: string; said: string };

const why = whyNoSshd();
if (why !== null) console.error(`On this machine alone: ${why}`);
let server: ServerProcess | null = null;
let sshd: Sshd | null = null;
try {
  if (why === null) {
    sshd = await startSshd("bench");
    process.env.SIGHTLINE_SSH_CONFIG = sshd.client_config;
  }
  server = await spawnServer(dataDir);
  const places: Place[] = [{ id: "", host_id: "local", folder: dataDir, said: "this machine" }];
  if (sshd !== null) {
    const host_id = await attachSshd(server.client, sshd, join(sshd.home, "runs"));
    places.push({ id: ".ssh", host_id, folder: sshd.home, said: "SSH to an sshd on loopback" });
  }
  for (const place of places) {
    await measureLaunch(server, place);
    await measureLag(server, place);
  }
} finally {
  await server?.kill();
  await sshd?.remove();
  await remove();
}

async function measureLaunch({ client }: ServerProcess, { id, host_id, folder, said }: Place) {
  const alive: number[] = [];
  const gone: number[] = [];
  await client.hosts.doctor.mutate({ host_id });
  for (let i = 0; i < LAUNCHES; i++) {
    const begun = performance.now();
    const { run_id } = await client.runs.launch.mutate({
      ...smallRun({ steps_per_sec: 2, max_steps: 1000, steps_per_epoch: 1000 }),
      host_id,
    });
    while (!isAlive(attemptProcesses(folder, run_id, 1)?.trainer)) await sleep(2);
    alive.push(performance.now() - begun);
    await sleep(1500);
    const asked = performance.now();
    await client.runs.stop.mutate({ run_id });
    while (processesOf(join(folder, "runs", run_id)).length > 0) await sleep(10);
    gone.push(performance.now() - asked);
  }
  report({
    id: `L1${id}`,
    unit: "ms",
    target: "<= 3000",
    values: alive,
    what: `launch pressed → trainer's process alive, ${said}`,
  });
  report({
    id: `L1.stop${id}`,
    unit: "ms",
    target: "<= 5000",
    values: gone,
    what: `Stop pressed → checkpoint saved, no process left, ${said}`,
  });
}

async function measureLag({ client, address, url, pid }: ServerProcess, { id, host_id, said }: Place) {
  const run_ids: string[] = [];
  for (let i = 0; i < RUNS; i++) {
    const settings = {
      steps_per_sec: 1,
      max_steps: SECS + 60,
      steps_per_epoch: SECS + 60,
      prompts_per_step: 4,
      group_size: 8,
    };
    run_ids.push((await client.runs.launch.mutate({ ...smallRun(settings), seed: i, host_id })).run_id);
  }
  const written = new Map<string, number>();
  const callback: number[] = [];
  const follower = followRuns(client, run_ids);
  let measuring = false;
  follower.onBatch = (batch) => {
    if (batch.kind !== "rows") return;
    const now = Date.now();
    for (const { line } of batch.rows) {
      if (!isKnown(line, "metrics")) continue;
      written.set(`${line.run_id}:${line.step}`, line.time_secs * 1000);
      if (measuring) callback.push(now - line.time_secs * 1000);
    }
  };
  await follower.until(
    "every run at step 2",
    () => run_ids.every((id) => (follower.series(id)?.step ?? 0) >= 2),
    120_000,
  );

  const watched = run_ids[0] ?? "";
  const picture = await openPicture(url, `${address}/runs/${watched}`);
  measuring = true;
  const before = cpuSecs(pid);
  await sleep(SECS * 1000);
  measuring = false;
  const cores = (cpuSecs(pid) - before) / SECS;
  report({
    id: `G1.callback${id}`,
    unit: "ms",
    target: "<= 300",
    values: callback,
    limit95: 1000,
    what: `host line → client's callback, ${RUNS} runs at 1 step/s, ${said}; the server took ${cores.toFixed(2)} cores`,
  });
  if (picture) {
    const seen = await picture.read();
    const pixels = seen.flatMap(({ step, time_ms }) => {
      const from = written.get(`${watched}:${step}`);
      return from === undefined ? [] : [time_ms - from];
    });
    report({
      id: `G1${id}`,
      unit: "ms",
      target: "<= 300",
      values: pixels,
      limit95: 1000,
      what: `host line → painted frame of the run page, ${RUNS} runs at 1 step/s, ${said}, headless Chromium`,
    });
    await picture.close();
  } else
    console.error(
      "G1 to the pixel was left out: Chromium or the built web is missing (npm start builds it).",
    );
  for (const run_id of run_ids) await client.runs.stop.mutate({ run_id });
  await follower.until("every run stopped", () =>
    run_ids.every((run) => ["stopped", "done"].includes(follower.run(run)?.state ?? "")),
  );
  follower.stop();
}

/** Opens the run page and notes when each step's frame was painted. */
async function openPicture(enter: string, address: string) {
  const executablePath = findChromium();
  if (!executablePath || !existsSync(join(import.meta.dirname, "../../web/dist/index.html"))) return null;
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page: Page = await browser.newPage({ bypassCSP: true, viewport: { width: 1440, height: 900 } });
  await page.goto(enter);
  await page.goto(address);
  await page.getByText(/^step/).first().waitFor();
  await page.evaluate(`{
    const seen = (window.seen = []);
    const find = () => [...document.querySelectorAll("b")].find((b) => b.previousSibling?.textContent.trim() === "step");
    let last = find()?.textContent;
    new MutationObserver(() => {
      const now = find()?.textContent;
      if (now === last) return;
      last = now;
      requestAnimationFrame(() => setTimeout(() => seen.push({ step: Number(now), time_ms: Date.now() })));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  return {
    read: () => page.evaluate("window.seen") as Promise<{ step: number; time_ms: number }[]>,
    close: () => browser.close(),
  };
}

/** Processor seconds that a process has used; the kernel counts in hundredths. */
function cpuSecs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && existsSync(`/proc/${pid}`);
}

function report(figure: {
  id: string;
  unit: string;
  target: string;
  values: number[];
  what: string;
  limit95?: number;
}) {
  const values = [...figure.values].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN);
  const value = at(0.5);
  const ok =
    value <= Number(figure.target.slice(3)) && (figure.limit95 === undefined || at(0.95) <= figure.limit95);
  console.log(
    JSON.stringify({
      id: figure.id,
      value,
      unit: figure.unit,
      target: figure.limit95 === undefined ? figure.target : `${figure.target}, p95 <= ${figure.limit95}`,
      ok,
      runs: values.length,
      spread: [at(0), at(1)],
      p95: at(0.95),
      with: `${figure.what}; median of ${values.length}; ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
    }),
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
