import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { launchSmall, smallRun } from "../../features/runs/testing/launch.ts";
import { startSshServer } from "../testing/ssh-server.ts";
import { whyNoSshd } from "../testing/sshd.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

type Server = Awaited<ReturnType<typeof startSshServer>>;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const until = ({ app }: Server, run_id: string, state: string) =>
  expect.poll(() => app.runs.get(run_id).run.state, { timeout: 90_000 }).toBe(state);

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

describe.skipIf(why !== null)("runs of an SSH host that takes one at a time", () => {
  it("wait for each other; a checkpoint is fetched over the link and forked on the host", async () => {
    const server = await startSshServer("queue-fork");
    cleanups.push(() => server.close());
    const { client, app, host_id, root, dataDir } = server;
    await client.runs.setRunsAtOnce.mutate({ host_id, runs_at_once: 1 });
    const order = { ...smallRun({ keep_checkpoints: 9, steps_per_sec: 8 }), host_id };
    const { run_id: first } = await client.runs.launch.mutate(order);
    const { run_id: second } = await client.runs.launch.mutate({
      ...smallRun({ steps_per_sec: 0 }),
      host_id,
    });
    await expect
      .poll(async () => (await client.runs.get.query({ run_id: second })).run, { timeout: 40_000 })
      .toMatchObject({ state: "queued", queue: { position: 1 } });
    expect(existsSync(join(root, second))).toBe(false);
    // Another host's limit is no business of this one.
    const here = await launchSmall(client, { steps_per_sec: 0 });
    await until(server, here, "done");
    await until(server, first, "done");
    await until(server, second, "done");
    const began = (run_id: string) =>
      JSON.parse(readFileSync(join(root, run_id, "attempts/001/id.json"), "utf8")).began_secs;
    const ended = statSync(join(root, first, "attempts/001/exit.json")).mtimeMs / 1000;
    expect(began(second)).toBeGreaterThanOrEqual(ended - 1);

    const { checkpoints, problem } = await client.runs.checkpoints.query({ run_id: first });
    expect(problem).toBeNull();
    expect(checkpoints.map(({ step }) => step)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    const fetchTen = () => client.runs.fetchCheckpoint.mutate({ run_id: first, step: 10, to: null });
    const [{ job_id }, twice] = await Promise.all([fetchTen(), fetchTen()]);
    expect(twice).toEqual({ job_id });
    await expect
      .poll(() => app.jobs.list().find((job) => job.job_id === job_id)?.state, { timeout: 60_000 })
      .toBe("done");
    const fetched = join(dataDir, "checkpoints", `${first}-checkpoint-10`);
    const source = join(root, first, "checkpoints/checkpoint-10");
    for (const name of ["weights.simulated", "COMPLETE.json"])
      expect(digestOf(join(fetched, name))).toBe(digestOf(join(source, name)));

    const fork = { run_id: first, step: 20, keeps_optimiser: true };
    await expect(client.runs.launch.mutate({ ...smallRun(), host_id: "local", fork })).rejects.toThrow(
      /lie on another host/,
    );
    const { run_id: child } = await client.runs.launch.mutate({
      ...order,
      launch_key: smallRun().launch_key,
      fork,
    });
    await until(server, child, "done");
    expect((await client.runs.get.query({ run_id: child })).attempts).toMatchObject([
      { resume_step: 20, last_step: 40 },
    ]);
    expect(digestOf(join(root, child, "checkpoints/checkpoint-20/weights.simulated"))).toBe(
      digestOf(join(root, first, "checkpoints/checkpoint-20/weights.simulated")),
    );

    await server.sshd.stop();
    await expect
      .poll(async () => (await client.runs.checkpoints.query({ run_id: first })).problem, {
        timeout: 60_000,
      })
      .toMatch(/can't be asked now/);
    await expect(client.runs.fetchCheckpoint.mutate({ run_id: first, step: 15, to: null })).rejects.toThrow();
    await expect(client.runs.pruneCheckpoints.mutate({ run_id: first, steps: [15] })).rejects.toThrow(
      /Nothing was deleted/,
    );
  });

  it("start again on one that was detached and brought back", async () => {
    const server = await startSshServer("brought-back");
    cleanups.push(() => server.close());
    const { client, host_id } = server;
    const launch = () =>
      client.runs.launch.mutate({ ...smallRun({ steps_per_sec: 0 }), host_id }).then(({ run_id }) => run_id);
    await until(server, await launch(), "done");
    await client.hosts.detach.mutate({ host_id });
    await expect(launch()).rejects.toThrow(/was detached/);
    await client.hosts.restore.mutate({ host_id });
    await until(server, await launch(), "done");
  });
});
