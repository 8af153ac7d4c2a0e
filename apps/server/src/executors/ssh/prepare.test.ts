import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Job } from "@sightline/core/clips";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fillIndex } from "../../features/environment/testing/wheels.ts";
import { findPython } from "../local.ts";
import { startSshServer } from "../testing/ssh-server.ts";
import { whyNoSshd } from "../testing/sshd.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

/** Each makes an environment with pip. */
vi.setConfig({ testTimeout: 400_000 });

type Server = Awaited<ReturnType<typeof startSshServer>>;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A host whose pip finds packages on its own disk and nowhere else. */
async function start(name: string) {
  const server = await startSshServer(name);
  servers.push(server);
  const index = join(server.sshd.folder, "index");
  mkdirSync(index);
  await server.sshd.start({
    env: { PIP_NO_INDEX: "1", PIP_FIND_LINKS: index, PIP_CONFIG_FILE: "/dev/null" },
  });
  return { server, index };
}

const jobOf = ({ app }: Server, job_id: string) => app.jobs.list().find((job) => job.job_id === job_id);

async function ended(server: Server, job_id: string): Promise<Job | undefined> {
  const isGoing = () => ["waiting", "running"].includes(jobOf(server, job_id)?.state ?? "");
  while (isGoing()) await setTimeout(50);
  return jobOf(server, job_id);
}

const environmentOf = async ({ client, host_id }: Server) =>
  (await client.hosts.list.query()).find((host) => host.host_id === host_id)?.environment;

describe.skipIf(why !== null)("preparing a host", () => {
  it("makes an environment once, with progress, and goes on after a package was missing and after a cancel", async () => {
    const { server, index } = await start("prepare");
    const { client, host_id, sshd } = server;
    const order = { host_id, profile: "cpu" as const };
    expect(await environmentOf(server)).toMatchObject({ state: "absent", problem: null });

    await fillIndex(index, "trl");
    const failed = await ended(server, (await client.hosts.prepare.mutate(order)).job_id);
    expect(failed?.state).toBe("failed");
    expect(failed?.problem).toMatch(/^Could not install the trainer's packages\. .*use Python/);
    expect(await environmentOf(server)).toMatchObject({ state: "absent", problem: failed?.problem });

    await fillIndex(index);
    const { job_id } = await client.hosts.prepare.mutate(order);
    expect((await client.hosts.prepare.mutate(order)).job_id).toBe(job_id);
    await expect.poll(() => jobOf(server, job_id)?.state, { interval: 20, timeout: 40_000 }).toBe("running");
    await client.jobs.cancel.mutate({ job_id });
    expect((await ended(server, job_id))?.state).toBe("cancelled");
    await expect.poll(() => processesNaming(join(sshd.home, ".cache")), { timeout: 40_000 }).toEqual([]);

    const done = await ended(server, (await client.hosts.prepare.mutate(order)).job_id);
    expect(done).toMatchObject({ state: "done", problem: null });
    const environment = await environmentOf(server);
    expect(environment).toMatchObject({
      state: "ready",
      profile: "cpu",
      versions: { torch: "2.13.0", cuda: false },
    });
    expect(existsSync(environment?.python ?? "")).toBe(true);
    expect(server.app.hosts.trainer(host_id)).toBe(environment?.python);
    expect(
      (await client.hosts.doctor.mutate({ host_id })).find(({ id }) => id === "environment"),
    ).toMatchObject({
      state: "ok",
    });
  });

  it("goes on by itself while the host is away and the server is started anew", async () => {
    const { server, index } = await start("prepare-away");
    const { client, host_id, sshd } = server;
    await fillIndex(index);
    await client.hosts.prepare.mutate({ host_id, profile: "cpu" });
    await expect
      .poll(() => existsSync(join(sshd.home, ".cache/sightline/environments")), { timeout: 60_000 })
      .toBe(true);
    await sshd.stop();
    await server.restart();
    await sshd.start();
    await expect.poll(async () => (await environmentOf(server))?.state, { timeout: 200_000 }).toBe("ready");
    expect(readdirSync(join(sshd.home, ".cache/sightline/environments"))).toHaveLength(1);
  });

  it("adopts an interpreter that can train, and says what one lacks that can't", async () => {
    const { server } = await start("adopt");
    const { client, host_id, sshd } = server;
    const python = await findPython(process.env.PATH ?? "");
    const adopt = async (path: string) =>
      ended(server, (await client.hosts.prepare.mutate({ host_id, profile: "adopt", python: path })).job_id);
    expect((await adopt("/no/such/$(touch canary)/python"))?.problem).toMatch(/No such file/);
    expect((await adopt(python))?.problem).toMatch(/lacks a package/);

    const venv = join(sshd.home, "my venv");
    execFileSync(python, ["-m", "venv", "--without-pip", venv]);
    const lib = join(venv, "lib", readdirSync(join(venv, "lib"))[0] ?? "", "site-packages");
    const put = (name: string, version: string) => {
      mkdirSync(join(lib, name), { recursive: true });
      writeFileSync(
        join(lib, name, "__init__.py"),
        `__version__ = "${version}"\nclass cuda:\n    is_available = staticmethod(lambda: True)\n`,
      );
    };
    put("torch", "2.4.1+cu121");
    put("transformers", "4.57.0");
    put("trl", "0.21.0");
    expect((await adopt("~/my venv/bin/python"))?.problem).toMatch(
      /torch 2\.6 or newer \(it has 2\.4\.1\+cu121\), trl 1\.13 \(it has 0\.21\.0\)/,
    );
    put("torch", "2.11.0+cu128");
    put("trl", "1.13.2");
    expect(await adopt("~/my venv/bin/python")).toMatchObject({ state: "done" });
    expect(server.app.hosts.trainer(host_id)).toBe(join(venv, "bin/python"));
    await expect(
      client.hosts.prepare.mutate({ host_id, profile: "adopt", python: "python3" }),
    ).rejects.toThrow(/whole path/);
  });
});

/** Command lines that name a folder. */
function processesNaming(folder: string): string[] {
  const all = execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(folder) && !line.includes("ps -eo"));
}
