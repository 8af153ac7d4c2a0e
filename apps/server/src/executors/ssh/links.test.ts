import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { followRuns, oneTo, stepsInForce } from "../../features/runs/testing/follower.ts";
import { holdAgainstDisk } from "../../features/runs/testing/hold.ts";
import { smallRun } from "../../features/runs/testing/launch.ts";
import { attemptProcesses } from "../../features/runs/testing/processes.ts";
import { makeNetwork, whyNoNetwork } from "../testing/network.ts";
import { startSshServer } from "../testing/ssh-server.ts";
import { endProcess, whyNoSshd } from "../testing/sshd.ts";
import type { SshExecutor } from "./index.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);
const whyNot = whyNoNetwork();
if (whyNot !== null) console.warn(`Left out: ${whyNot}`);

type Server = Awaited<ReturnType<typeof startSshServer>>;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const start = async (...args: Parameters<typeof startSshServer>) => {
  const server = await startSshServer(...args);
  cleanups.push(() => server.close());
  return server;
};

const STEPS = 60;

/**
 * Launches a run of six seconds if its steps aren't slower, cuts the link on its way, and holds the page and the
 * rows against the host's files.
 */
async function runThrough(server: Server, cut: (run_id: string) => Promise<void>, steps_per_sec = 10) {
  const { client, host_id, root, dataDir } = server;
  const request = smallRun({ steps_per_sec, steps_per_epoch: 15, max_steps: STEPS });
  const { run_id } = await client.runs.launch.mutate({ ...request, host_id });
  const follower = followRuns(client, [run_id]);
  cleanups.push(() => follower.stop());
  await follower.until("step 10", (at) => (at.series(run_id)?.step ?? 0) >= 10);
  await cut(run_id);
  await follower.until("its end", (at) => at.run(run_id)?.state === "done", 150_000);
  await follower.until("its last step", (at) => (at.series(run_id)?.step ?? 0) >= STEPS);
  expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(STEPS));
  expect(new Set(follower.ids).size).toBe(follower.ids.length);
  expect(holdAgainstDisk(dataDir, root, run_id)).toEqual([]);
  expect((await client.runs.get.query({ run_id })).attempts).toHaveLength(1);
  return { follower, run_id };
}

const stateOf = ({ app }: Server, run_id: string) => app.runs.get(run_id).run.state;
const socketOf = ({ app, host_id }: Server) => (app.hosts.executor(host_id) as SshExecutor).socket ?? "";

describe.skipIf(why !== null)("a run whose link is cut", () => {
  it("catches up without a gap after ssh -O exit", async () => {
    const server = await start("exit");
    await runThrough(server, async () => {
      execFileSync("ssh", ["-O", "exit", "-o", `ControlPath=${socketOf(server)}`, "any"], {
        stdio: "ignore",
      });
    });
  });

  it("catches up after the sshd process of its connection was killed, three times", async () => {
    const server = await start("child");
    await runThrough(server, async () => {
      for (let i = 0; i < 3; i++) {
        for (const pid of server.sshd.sessions()) endProcess(pid);
        await new Promise((resolve) => setTimeout(resolve, 700));
      }
    });
  });

  it("says unreachable while the host is away, goes on there, and catches up when it is back", async () => {
    const server = await start("away");
    const { client, host_id, sshd } = server;
    await runThrough(
      server,
      async (run_id) => {
        await expect(client.hosts.detach.mutate({ host_id })).rejects.toThrow(/has not ended/);
        await sshd.stop();
        await expect.poll(() => stateOf(server, run_id), { timeout: 60_000 }).toBe("unreachable");
        expect(server.app.runs.get(run_id).run.problem).toMatch(/does not answer/);
        const { trainer = 0 } = attemptProcesses(sshd.home, run_id, 1) ?? {};
        expect(existsSync(`/proc/${trainer}`)).toBe(true);
        // One that is away may be away for good.
        await client.hosts.doctor.mutate({ host_id });
        await client.hosts.detach.mutate({ host_id });
        expect(stateOf(server, run_id)).toBe("unreachable");
        await client.hosts.restore.mutate({ host_id });
        await sshd.start();
        await client.hosts.doctor.mutate({ host_id });
      },
      // Slow steps, so that even a busy machine notices the silence long before the run ends.
      2,
    );
  });

  it("is found again by a server that was started anew while the host was away", async () => {
    const server = await start("restart");
    const { host_id, sshd, root, dataDir } = server;
    const request = smallRun({ steps_per_sec: 10, steps_per_epoch: 10, max_steps: 40 });
    const { run_id } = await server.client.runs.launch.mutate({ ...request, host_id });
    await expect
      .poll(() => server.app.runs.get(run_id).run.step ?? 0, { timeout: 60_000 })
      .toBeGreaterThan(5);
    await sshd.stop();
    await server.restart();
    await sshd.start();
    await expect.poll(() => stateOf(server, run_id), { timeout: 150_000 }).toBe("done");
    expect(holdAgainstDisk(dataDir, root, run_id)).toEqual([]);
  });

  it.skipIf(whyNot !== null)(
    "notices a link that went silent within keep-alives, and catches up",
    async () => {
      const network = makeNetwork();
      cleanups.push(() => network.remove());
      const server = await start("netns", { address: network.address, netns: network.name });
      await runThrough(server, async (run_id) => {
        const cut = Date.now();
        network.cut();
        await expect.poll(() => stateOf(server, run_id), { timeout: 60_000 }).toBe("unreachable");
        expect(Date.now() - cut).toBeLessThan(50_000);
        network.mend();
        await server.client.hosts.doctor.mutate({ host_id: server.host_id });
      });
    },
  );
});
