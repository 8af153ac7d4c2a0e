import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { waitFor } from "../clips/testing/wait.ts";
import { followRuns, oneTo, stepsInForce } from "./testing/follower.ts";
import { launchSmall, smallRun } from "./testing/launch.ts";
import { makeDataDir, serveHere } from "./testing/servers.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function house(name: string) {
  const { dataDir, remove } = makeDataDir(name);
  cleanups.push(remove);
  const server = await serveHere(dataDir);
  cleanups.push(() => server.close());
  return { ...server, dataDir };
}

const listing = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => [name, statSync(join(folder, name)).mtimeMs]);

test("a run of another server is watched as it goes on, from its first step, and obeys only its own", async () => {
  const [theirs, ours] = [await house("theirs"), await house("ours")];
  const run_id = await launchSmall(theirs.client, { steps_per_sec: 1 });
  const directory = join(theirs.dataDir, "runs", run_id);
  await waitFor(
    () => theirs.client.runs.get.query({ run_id }),
    ({ run }) => (run.step ?? 0) >= 5,
  );

  const found = await ours.client.runs.findElsewhere.mutate({ host_id: "local", folder: theirs.dataDir });
  expect(found.runs).toMatchObject([{ run_id, directory, name: "small", attempts: 1 }]);
  expect(await ours.client.runs.watch.mutate({ host_id: "local", directory })).toEqual({ run_id });
  expect(await ours.client.runs.watch.mutate({ host_id: "local", directory: `${directory}/` })).toEqual({
    run_id,
  });
  const follower = followRuns(ours.client, [run_id]);
  cleanups.push(() => follower.stop());
  await follower.until("running", (at) => at.run(run_id)?.state === "running");
  expect(follower.run(run_id)).toMatchObject({ watched: true, name: "small" });
  expect((await ours.client.runs.get.query({ run_id })).directory).toBe(directory);

  for (const order of [ours.client.runs.stop, ours.client.runs.checkpoint, ours.client.runs.resume])
    await expect(order.mutate({ run_id })).rejects.toThrow(/started elsewhere and is only watched/);
  await expect(
    ours.app.hosts.executor("local").control({ run_id, attempt: 1 }, "stop", AbortSignal.timeout(5000)),
  ).rejects.toThrow(/only looked at/);
  await expect(ours.client.runs.pruneCheckpoints.mutate({ run_id, steps: [5] })).rejects.toThrow(
    /pruned from here/,
  );
  await expect(
    ours.client.runs.launch.mutate({
      ...smallRun(),
      fork: { run_id, step: 5, keeps_optimiser: true },
    }),
  ).rejects.toThrow(/forked from here/);
  // It takes no place: one of our own may start at once, and the host may be let go.
  expect((await ours.client.runs.queues.query()).find((one) => one.host_id === "local")?.running).toEqual([]);
  expect((await ours.client.hosts.list.query())[0]?.active_runs).toBe(0);

  await theirs.client.runs.stop.mutate({ run_id });
  await follower.until("stopped", (at) => at.run(run_id)?.state === "stopped");
  expect((await ours.client.runs.get.query({ run_id })).resume_hint).toMatch(/only watched/);

  await theirs.client.runs.resume.mutate({ run_id });
  await follower.until("done", (at) => at.run(run_id)?.state === "done");
  expect(follower.run(run_id)?.attempts).toBe(2);
  expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
  const events = await new Promise<unknown>((resolve) => {
    const stream = ours.client.hosts.followEvents.subscribe(
      { host_id: "local" },
      {
        onData(list) {
          stream.unsubscribe();
          resolve(list);
        },
      },
    );
  });
  expect(events).toMatchObject([{ kind: "watching", says: expect.stringContaining(directory) }]);
});

test("a finished foreign run is read whole, survives a restart, goes to the trash, and is left as it was", async () => {
  const theirs = await house("theirs");
  const run_id = await launchSmall(theirs.client, { steps_per_sec: 0 });
  await waitFor(
    () => theirs.client.runs.get.query({ run_id }),
    ({ run }) => run.state === "done",
  );
  const directory = join(theirs.dataDir, "runs", run_id);
  const before = listing(directory);
  const { dataDir, remove } = makeDataDir("ours");
  cleanups.push(remove);
  let ours = await serveHere(dataDir);
  await ours.client.runs.watch.mutate({ host_id: "local", directory });
  await ours.close();
  ours = await serveHere(dataDir);
  cleanups.push(() => ours.close());
  const { run } = await waitFor2(() => ours.client.runs.get.query({ run_id }), "done");
  expect(run).toMatchObject({ watched: true, step: 40 });
  const log = await ours.client.runs.log.query({ run_id, attempt: 1 });
  expect(log.size).toBe(statSync(join(directory, "attempts/001/log.txt")).size);
  const { checkpoints } = await ours.client.runs.checkpoints.query({ run_id });
  expect(checkpoints.map(({ step }) => step)).toEqual([10, 20, 35, 40]);
  const { job_id } = await ours.client.runs.fetchCheckpoint.mutate({ run_id, step: 40, to: null });
  await waitFor(
    () => Promise.resolve(ours.app.jobs.list().find((job) => job.job_id === job_id)),
    (job) => job?.state === "done",
  );
  expect(readFileSync(join(dataDir, "checkpoints", `${run_id}-checkpoint-40`, "weights.simulated"))).toEqual(
    readFileSync(join(directory, "checkpoints/checkpoint-40/weights.simulated")),
  );
  await ours.client.runs.trash.mutate({ run_ids: [run_id] });
  expect(await ours.client.runs.list.query()).toEqual([]);
  expect(listing(directory)).toEqual(before);

  async function waitFor2(ask: () => ReturnType<typeof ours.client.runs.get.query>, state: string) {
    return waitFor(ask, (detail) => detail.run.state === state);
  }
});

test("what is no run, is one of ours, or is named strangely is refused with a reason", async () => {
  const { client, dataDir, app } = await house("ours");
  const watch = (directory: string) => client.runs.watch.mutate({ host_id: "local", directory });
  await expect(watch(join(dataDir, "absent"))).rejects.toThrow(/There is no folder/);
  await expect(watch(dataDir)).rejects.toThrow(/no run directory: it holds no spec\.json/);
  const odd = join(dataDir, "odd");
  mkdirSync(join(odd, "attempts", "001"), { recursive: true });
  writeFileSync(join(odd, "spec.json"), JSON.stringify({ run_id: "odd", engine: "other" }));
  await expect(watch(odd)).rejects.toThrow(/can't read/);
  const marker = join(dataDir, "reached");
  for (const name of [`$(touch ${marker})`, `; touch ${marker}`, "-rf", "`id`", "a\nb", "ü".repeat(900)])
    await expect(watch(name)).rejects.toThrow();
  await expect(watch(`/tmp/$(touch ${marker})`)).rejects.toThrow(/There is no folder/);
  expect(readdirSync(dataDir)).not.toContain("reached");

  const { run_id } = await client.runs.launch.mutate(smallRun({ steps_per_sec: 0 }));
  await waitFor(
    () => app.runs.get(run_id),
    ({ run }) => run.state === "done",
  );
  await expect(watch(join(dataDir, "runs", run_id))).rejects.toThrow(/known already, as small/);
});
