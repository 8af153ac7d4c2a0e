import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunState } from "@sightline/core/runs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findPython } from "../../executors/local.ts";
import { freePort } from "../../testing/free-port.ts";
import { type Client, connect } from "./testing/client.ts";
import { followRuns, oneTo, stepsInForce } from "./testing/follower.ts";
import { launchSmall, smallRun } from "./testing/launch.ts";
import { attemptProcesses, childrenOf, kill, processesOf } from "./testing/processes.ts";
import { startRunsHere } from "./testing/runs-here.ts";
import { makeDataDir, serveHere, spawnServer } from "./testing/servers.ts";

type Cleanup = () => unknown;
const cleanups: Cleanup[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function house(at_once: number | null = 1) {
  const { dataDir, remove } = makeDataDir("queue");
  cleanups.push(remove);
  const server = await serveHere(dataDir);
  cleanups.push(() => server.close());
  await server.client.runs.setRunsAtOnce.mutate({ host_id: "local", runs_at_once: at_once });
  return { ...server, dataDir };
}

const stateOf = async (client: Client, run_id: string): Promise<RunState> =>
  (await client.runs.get.query({ run_id })).run.state;

const until = (client: Client, run_id: string, state: RunState) =>
  expect.poll(() => stateOf(client, run_id), { timeout: 120_000, interval: 100 }).toBe(state);

const waiting = async (client: Client) => (await client.runs.queues.query())[0]?.waiting ?? [];

/** Long enough that what is asked for while it runs is asked for in time, also of a busy machine. */
const LASTING = { steps_per_sec: 1 };

describe("runs that wait for their turn", () => {
  it("start one after the other, in the order that somebody gave them, each with one process", async () => {
    const { client, dataDir } = await house();
    const [a, b, c, d] = [
      await launchSmall(client, { steps_per_sec: 3 }),
      await launchSmall(client),
      await launchSmall(client),
      await launchSmall(client),
    ];
    await until(client, a, "running");
    expect(await waiting(client)).toEqual([b, c, d]);
    const { run } = await client.runs.get.query({ run_id: b });
    expect(run).toMatchObject({ state: "queued", attempts: 0, queue: { position: 1 } });
    expect(run.queue?.why).toMatch(/one run at a time\. It is next, after small\./);
    expect(existsSync(join(dataDir, "runs", b))).toBe(false);

    await client.runs.moveInQueue.mutate({ run_id: d, before_run_id: b });
    await client.runs.moveInQueue.mutate({ run_id: b, before_run_id: null });
    expect(await waiting(client)).toEqual([d, c, b]);
    await client.runs.moveInQueue.mutate({ run_id: c, before_run_id: c });
    expect(await waiting(client)).toEqual([d, c, b]);

    for (const run_id of [a, d, c, b]) await until(client, run_id, "done");
    const began = (run_id: string) =>
      JSON.parse(readFileSync(join(dataDir, "runs", run_id, "attempts/001/id.json"), "utf8")).began_secs;
    const order = [a, b, c, d].sort((one, other) => began(one) - began(other));
    expect(order).toEqual([a, d, c, b]);
    await expect(client.runs.moveInQueue.mutate({ run_id: b, before_run_id: null })).rejects.toThrow(
      /no longer waits/,
    );
  });

  it("are cancelled at once without a process, and can be queued again", async () => {
    const { client, dataDir } = await house();
    const first = await launchSmall(client, LASTING);
    const second = await launchSmall(client);
    await until(client, first, "running");
    await client.runs.stop.mutate({ run_id: second });
    const { run, attempts } = await client.runs.get.query({ run_id: second });
    expect(run).toMatchObject({ state: "stopped", queue: null });
    expect(run.problem).toMatch(/nothing was started/);
    expect(attempts).toEqual([]);
    expect(existsSync(join(dataDir, "runs", second))).toBe(false);
    expect(await client.runs.resume.mutate({ run_id: second })).toEqual({ attempt: 1 });
    expect(await client.runs.resume.mutate({ run_id: second })).toEqual({ attempt: 1 });
    expect(await waiting(client)).toEqual([second]);
    // One that runs is stopped with a checkpoint, and the next one takes its place.
    await client.runs.stop.mutate({ run_id: first });
    await until(client, first, "stopped");
    await until(client, second, "done");
    expect(attemptProcesses(dataDir, second, 2)).toBeNull();
    await expect.poll(() => processesOf(dataDir), { timeout: 40_000 }).toEqual([]);
  });

  it("start once for a double click, two tabs and a lost answer, also while they wait", async () => {
    const { client, dataDir, address } = await house();
    const { loadInstallToken } = await import("../../data-folder/token.ts");
    const other = await connect(address, loadInstallToken(dataDir));
    const busy = await launchSmall(client, LASTING);
    const request = smallRun(LASTING);
    const answers = await Promise.all([
      client.runs.launch.mutate(request),
      client.runs.launch.mutate(request),
      other.runs.launch.mutate(request),
    ]);
    const [run_id = ""] = new Set(answers.map((answer) => answer.run_id));
    await until(client, busy, "running");
    expect(await waiting(client)).toEqual([run_id]);
    await Promise.all([
      client.runs.stop.mutate({ run_id: busy }),
      other.runs.setRunsAtOnce.mutate({ host_id: "local", runs_at_once: 3 }),
      client.runs.launch.mutate(request),
    ]);
    await until(client, run_id, "running");
    expect((await other.runs.launch.mutate(request)).run_id).toBe(run_id);
    expect(await client.runs.list.query()).toHaveLength(2);
    await client.runs.stop.mutate({ run_id });
    await until(client, run_id, "stopped");
    expect((await client.runs.get.query({ run_id })).attempts).toHaveLength(1);
  });

  it("keep their order when the server is killed, and go on after it", async () => {
    const { dataDir, remove } = makeDataDir("queue");
    cleanups.push(remove);
    let server = await spawnServer(dataDir, await freePort());
    cleanups.push(() => server.kill());
    const { client } = server;
    await client.runs.setRunsAtOnce.mutate({ host_id: "local", runs_at_once: 1 });
    const first = await launchSmall(client, { steps_per_sec: 2 });
    const second = await launchSmall(client);
    const third = await launchSmall(client, { steps_per_sec: 5 });
    await client.runs.moveInQueue.mutate({ run_id: third, before_run_id: second });
    await until(client, first, "running");
    await server.kill();
    server = await spawnServer(dataDir, server.port);
    expect((await server.client.runs.queues.query())[0]).toMatchObject({
      runs_at_once: 1,
      running: [first],
      waiting: [third, second],
    });
    await until(server.client, third, "running");
    await server.kill();
    server = await spawnServer(dataDir, server.port);
    for (const run_id of [first, third, second]) await until(server.client, run_id, "done");
    const follower = followRuns(server.client, [first, second, third]);
    cleanups.push(() => follower.stop());
    for (const run_id of [first, second, third]) {
      await follower.until("all steps", (at) => (at.series(run_id)?.step ?? 0) === 40);
      expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
      expect((await server.client.runs.get.query({ run_id })).attempts).toHaveLength(1);
    }
  }, 400_000);

  it("let one train at a time and any number be simulated where nobody set a number", async () => {
    const { client } = await house(null);
    const runs = await Promise.all([1, 2, 3].map(() => launchSmall(client, LASTING)));
    await Promise.all(runs.map((run_id) => until(client, run_id, "running")));
    const [queue] = await client.runs.queues.query();
    expect(queue).toMatchObject({ host_id: "local", runs_at_once: null, waiting: [] });
    expect(queue?.running.sort()).toEqual(runs.sort());
  });
});

describe("a host that does not answer", () => {
  it("keeps its queue: what waits can be moved and cancelled, and starts when the host is back", async () => {
    const { dataDir, remove } = makeDataDir("queue");
    const bin = join(dataDir, "bin");
    mkdirSync(bin);
    const python = await findPython(process.env.PATH ?? "");
    const setUp = (isThere: boolean) =>
      writeFileSync(join(bin, "python3"), `#!/bin/sh\n${isThere ? `exec ${python} "$@"` : "exit 1"}\n`, {
        mode: 0o755,
      });
    setUp(true);
    const { runs, close } = startRunsHere(dataDir, bin);
    cleanups.push(remove, close);
    runs.setRunsAtOnce("local", 1);
    const launch = async (name: string) =>
      (await runs.launch({ ...smallRun({ steps_per_sec: 4 }), name })).run_id;
    const [first, second, third] = [await launch("first"), await launch("second"), await launch("third")];
    const state = (run_id: string) => runs.get(run_id).run.state;
    await expect.poll(() => state(first), { timeout: 60_000 }).toBe("running");

    setUp(false);
    for (const pid of childrenOf(process.pid, "slctl")) kill(pid);
    await expect
      .poll(() => runs.get(second).run.queue?.why, { timeout: 60_000 })
      .toMatch(/does not answer\. The queue is kept/);
    await expect.poll(() => state(first), { timeout: 60_000 }).toBe("unreachable");
    runs.moveInQueue(third, second);
    await runs.stop(second);
    expect(runs.get(second).run).toMatchObject({ state: "stopped", attempts: 0 });
    expect(runs.queues()[0]).toMatchObject({ running: [first], waiting: [third] });

    setUp(true);
    await expect.poll(() => state(third), { timeout: 90_000 }).toBe("running");
    expect(state(first)).toBe("done");
    await runs.stop(third);
    await expect.poll(() => state(third), { timeout: 60_000 }).toBe("stopped");
  });
});

describe("runs that go on by themselves", () => {
  const launch = async (client: Client, faults: string, change: object = {}) => {
    const request = smallRun({ faults, micro_batch: 8, learning_rate: 0.001, steps_per_sec: 40 });
    return (await client.runs.launch.mutate({ ...request, max_retries: 3, ...change })).run_id;
  };

  /** It has failed, and waits before it goes on: every run is queued for a moment before its first attempt. */
  const untilResting = (client: Client, run_id: string) =>
    expect
      .poll(async () => (await client.runs.get.query({ run_id })).run.queue?.not_before_secs, {
        timeout: 90_000,
        interval: 100,
      })
      .toBeTypeOf("number");

  it("after a kill with half the micro-batch, after a NaN with half the learning rate, after a TERM as they were", async () => {
    const { client, dataDir } = await house(null);
    const cases = [
      { faults: "kill@12", overrides: { micro_batch: 4 }, says: /with micro_batch 4: it was killed/ },
      { faults: "gpu_memory@12", overrides: { micro_batch: 4 }, says: /GPU's memory/ },
      { faults: "host_memory@12", overrides: { micro_batch: 4 }, says: /host's memory/ },
      { faults: "diverged@12", overrides: { learning_rate: 0.0005 }, says: /no number/ },
      { faults: "interrupted@12", overrides: {}, says: /host or a scheduler/ },
    ];
    const runs = await Promise.all(cases.map(({ faults }) => launch(client, faults)));
    for (const [k, run_id] of runs.entries()) {
      await until(client, run_id, "done");
      const { attempts, lines } = await client.runs.get.query({ run_id });
      expect(attempts.map(({ cause }) => cause)).toEqual(["person", "retry"]);
      expect(attempts[1]?.why).toMatch(cases[k]?.says ?? /never/);
      expect(attempts[1]?.overrides).toEqual(cases[k]?.overrides);
      expect(lines).toBeGreaterThan(40);
      const events = readFileSync(join(dataDir, "runs", run_id, "attempts/002/events.jsonl"), "utf8");
      expect(events).toContain('"code":"automatic_attempt"');
      const log = readFileSync(join(dataDir, "runs", run_id, "attempts/002/log.txt"), "utf8");
      for (const [name, value] of Object.entries(cases[k]?.overrides ?? {}))
        expect(log).toContain(`${name} ${value}`);
    }
  });

  it("never where only a person can mend it, and not more often than was allowed", async () => {
    const { client } = await house(null);
    const hopeless = await Promise.all(
      ["missing_input", "crash@5", "disk_full@5", "silent_crash@5"].map((faults) => launch(client, faults)),
    );
    const always = await launch(client, "interrupted@3!", { max_retries: 1 });
    const once = await launch(client, "kill@7!");
    for (const run_id of hopeless) await until(client, run_id, "failed");
    for (const run_id of hopeless) expect((await client.runs.get.query({ run_id })).attempts).toHaveLength(1);
    for (const run_id of [always, once]) {
      await expect
        .poll(async () => (await client.runs.get.query({ run_id })).attempts.length, { timeout: 90_000 })
        .toBe(2);
      await until(client, run_id, "interrupted");
      expect((await client.runs.get.query({ run_id })).attempts).toHaveLength(2);
    }
  });

  it("wait no longer than they should when the clock is set back meanwhile", async () => {
    const { client } = await house(null);
    const run_id = await launch(client, "host_memory@6");
    await untilResting(client, run_id);
    const now = Date.now;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - 3 * 3_600_000);
    cleanups.push(() => clock.mockRestore());
    await until(client, run_id, "done");
  });

  it("wait in the queue meanwhile, say so, and are cancelled there without a process", async () => {
    const { client, dataDir } = await house(null);
    const run_id = await launch(client, "host_memory@6");
    await untilResting(client, run_id);
    const { run } = await client.runs.get.query({ run_id });
    expect(run.queue?.why).toMatch(/goes on by itself after a short wait/);
    expect(run.queue?.not_before_secs).toBeGreaterThan(Date.now() / 1000);
    await client.runs.stop.mutate({ run_id });
    await until(client, run_id, "stopped");
    expect(attemptProcesses(dataDir, run_id, 2)).toBeNull();
    expect(await client.runs.resume.mutate({ run_id })).toEqual({ attempt: 2 });
    await until(client, run_id, "done");
  });

  it("start no second process while the first one is not proven dead", async () => {
    const { client, dataDir, app } = await house(null);
    const run_id = await launchSmall(client, LASTING);
    await until(client, run_id, "running");
    const first = attemptProcesses(dataDir, run_id, 1);
    // The database is wrong: it takes the living attempt for a failed one.
    app.db.$client
      .prepare("UPDATE attempts SET phase = 'ended', reason = 'failed', exit_code = 75 WHERE run_id = ?")
      .run(run_id);
    app.db.$client.prepare("UPDATE runs SET state = 'interrupted' WHERE run_id = ?").run(run_id);
    await client.runs.resume.mutate({ run_id });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(attemptProcesses(dataDir, run_id, 2)).toBeNull();
    expect(processesOf(dataDir)).toContain(first?.trainer);
  });
});

describe("a sweep", () => {
  const { stages, seed: _, launch_key: __, host_id: ___, ...base } = smallRun({ steps_per_sec: 8 });
  const request = () => ({
    ...base,
    name: "grid",
    launch_key: randomUUID(),
    schedules: [
      { name: "three", stages },
      { name: "fixed", stages: stages.slice(0, 1) },
    ],
    seeds: [1, 2],
    host_ids: ["local"],
    is_spread: false,
  });

  it("is one action: schedules × seeds, launched once, cancelled and resumed as a whole", async () => {
    const { client } = await house();
    const order = request();
    const answers = await Promise.all([1, 2, 3].map(() => client.runs.launchSweep.mutate(order)));
    expect(new Set(answers.map(({ sweep_id }) => sweep_id)).size).toBe(1);
    const { sweep_id = "" } = answers[0] ?? {};
    const sweep = await client.runs.sweep.query({ sweep_id });
    expect(sweep).toMatchObject({ name: "grid", schedules: ["three", "fixed"], seeds: [1, 2] });
    const waits = async () =>
      (await client.runs.list.query()).filter(({ state }) => state === "queued").length;
    await expect.poll(waits, { timeout: 40_000 }).toBe(3);
    const runs = await client.runs.list.query();
    expect(runs.map(({ name }) => name).sort()).toEqual([
      "grid · fixed · seed 1",
      "grid · fixed · seed 2",
      "grid · three · seed 1",
      "grid · three · seed 2",
    ]);
    expect(runs.every((run) => run.sweep?.sweep_id === sweep_id)).toBe(true);

    await client.runs.stopSweep.mutate({ sweep_id });
    for (const run_id of sweep.run_ids) await until(client, run_id, "stopped");
    expect(await client.runs.resumeSweep.mutate({ sweep_id })).toEqual({ resumed: 4 });
    for (const run_id of sweep.run_ids) await until(client, run_id, "done");
    const [pace] = await client.runs.paces.query({ preset: "test", host_ids: ["local"] });
    expect(pace).toMatchObject({ samples_per_step: 4 });
    expect(pace?.secs_per_step).toBeGreaterThan(0);
    const [unknown] = await client.runs.paces.query({ preset: "other", host_ids: ["local"] });
    expect(unknown).toMatchObject({ secs_per_step: null, attempts: 0 });
  });

  it("is refused in sentences when it can't run, and then nothing is written", async () => {
    const { client } = await house();
    await expect(
      client.runs.launchSweep.mutate({ ...request(), schedules: [{ name: "none", stages: [] }] }),
    ).rejects.toThrow(/no stage/);
    const seeds = Array.from({ length: 50 }, (_, k) => k);
    const schedules = Array.from({ length: 5 }, (_, k) => ({ name: `s${k}`, stages }));
    await expect(client.runs.launchSweep.mutate({ ...request(), seeds, schedules })).rejects.toThrow(
      /250 runs are too many/,
    );
    const alike = request().schedules.map((schedule) => ({ ...schedule, name: "alike" }));
    await expect(client.runs.launchSweep.mutate({ ...request(), schedules: alike })).rejects.toThrow(
      /called alike/,
    );
    await expect(client.runs.launchSweep.mutate({ ...request(), seeds: [1, 1] })).rejects.toThrow(
      /seed is named twice/,
    );
    await expect(
      client.runs.launchSweep.mutate({ ...request(), host_ids: ["local", "local"] }),
    ).rejects.toThrow(/host is named twice/);
    expect(await client.runs.list.query()).toEqual([]);
  });
});

describe("checkpoints", () => {
  const whole = async (client: Client) => {
    const run_id = await launchSmall(client, { steps_per_sec: 0, keep_checkpoints: 9 });
    await until(client, run_id, "done");
    return run_id;
  };

  it("are listed, fetched with a checksum, gone on with after a cut, and pruned but for what is needed", async () => {
    const { client, dataDir, app } = await house(null);
    const run_id = await whole(client);
    const { checkpoints, problem } = await client.runs.checkpoints.query({ run_id });
    expect(problem).toBeNull();
    expect(checkpoints.map(({ step }) => step)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    expect(checkpoints.map(({ ends_stage }) => ends_stage).filter(Boolean)).toEqual(["format", "accuracy"]);
    expect(checkpoints.every((one) => one.complete && one.bytes > 4096 && one.fetched === null)).toBe(true);

    const source = join(dataDir, "runs", run_id, "checkpoints/checkpoint-10/weights.simulated");
    const folder = join(dataDir, "checkpoints", `${run_id}-checkpoint-10`);
    const fetchIt = async () => {
      const { job_id } = await client.runs.fetchCheckpoint.mutate({ run_id, step: 10, to: null });
      const job = () => app.jobs.list().find((one) => one.job_id === job_id);
      await expect.poll(() => job()?.state, { timeout: 60_000 }).toMatch(/done|failed/);
      return job();
    };
    // As a cut left it: half of one file, and then one with a bit that tipped over.
    mkdirSync(`${folder}.part`, { recursive: true });
    const bytes = readFileSync(source);
    writeFileSync(join(`${folder}.part`, "weights.simulated"), Buffer.from([1, ...bytes.subarray(1, 2000)]));
    expect((await fetchIt())?.problem).toMatch(/SHA-256 differs/);
    expect(existsSync(folder)).toBe(false);
    writeFileSync(join(`${folder}.part`, "weights.simulated"), bytes.subarray(0, 2000));
    expect((await fetchIt())?.state).toBe("done");
    expect(readFileSync(join(folder, "weights.simulated"))).toEqual(bytes);
    expect(existsSync(`${folder}.part`)).toBe(false);
    const after = await client.runs.checkpoints.query({ run_id });
    expect(after.checkpoints.find(({ step }) => step === 10)?.fetched).toBe(folder);
    await expect(client.runs.fetchCheckpoint.mutate({ run_id, step: 7, to: null })).rejects.toThrow(
      /no whole checkpoint of step 7/,
    );
    await expect(
      client.runs.fetchCheckpoint.mutate({ run_id, step: 5, to: { folder_id: "none", path: "../.." } }),
    ).rejects.toThrow(/not among those/);

    const fork = await client.runs.launch.mutate({
      ...smallRun({ steps_per_sec: 0 }),
      fork: { run_id, step: 20, keeps_optimiser: true },
    });
    await expect(client.runs.pruneCheckpoints.mutate({ run_id, steps: [5, 20] })).rejects.toThrow(
      /step 20 is needed/,
    );
    expect(await client.runs.pruneCheckpoints.mutate({ run_id, steps: [5, 15] })).toMatchObject({
      removed: [5, 15],
    });
    await until(client, fork.run_id, "done");
  });

  it("are fetched to a folder that the owner listed, and to none beside it", async () => {
    const { dataDir, remove } = makeDataDir("listed");
    cleanups.push(remove);
    const listed = join(dataDir, "kept");
    mkdirSync(join(listed, "2026"), { recursive: true });
    const { app, client, close } = await serveHere(dataDir, [listed]);
    cleanups.push(close);
    const run_id = await whole(client);
    const folder_id = (await client.clips.folders.query())[0]?.folder_id ?? "";
    const fetchTo = (path: string) =>
      client.runs.fetchCheckpoint.mutate({ run_id, step: 10, to: { folder_id, path } });
    for (const path of ["..", "../runs", "/tmp", "absent"]) await expect(fetchTo(path)).rejects.toThrow();
    const { job_id } = await fetchTo("2026");
    await expect
      .poll(() => app.jobs.list().find((job) => job.job_id === job_id)?.state, { timeout: 60_000 })
      .toBe("done");
    const folder = join(listed, "2026", `${run_id}-checkpoint-10`);
    const source = join(dataDir, "runs", run_id, "checkpoints/checkpoint-10");
    expect(readdirSync(folder).sort()).toEqual(readdirSync(source).sort());
    for (const name of readdirSync(source))
      expect(readFileSync(join(folder, name))).toEqual(readFileSync(join(source, name)));
    await expect(fetchTo("2026")).rejects.toThrow(/It is there already/);
  });

  it("that a fork took over leave nothing on the host when its run was never written", async () => {
    const { dataDir, remove } = makeDataDir("unwritten");
    cleanups.push(remove);
    const first = await serveHere(dataDir);
    const run_id = await whole(first.client);
    const fork = { run_id, step: 20, keeps_optimiser: true };
    const waiting = await first.client.runs.launch.mutate({ ...smallRun(), fork });
    // The row can't be written, as if the server had died just before it.
    first.app.db.$client.exec(
      "CREATE TEMP TRIGGER death BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'dead'); END",
    );
    await expect(first.client.runs.launch.mutate({ ...smallRun(), fork })).rejects.toThrow();
    const folders = () => readdirSync(join(dataDir, "runs")).sort();
    expect(folders()).toHaveLength(3);
    await first.close();
    const second = await serveHere(dataDir);
    cleanups.push(() => second.close());
    await expect.poll(folders, { timeout: 60_000 }).toEqual([run_id, waiting.run_id].sort());
    expect(await second.client.runs.list.query()).toHaveLength(2);
    await until(second.client, waiting.run_id, "done");
    const { checkpoints } = await second.client.runs.checkpoints.query({ run_id });
    expect(checkpoints.find(({ step }) => step === 20)?.complete).toBe(true);
  });

  it("begin a fork under another schedule: its curve starts there, and its lineage is known", async () => {
    const { client, dataDir } = await house(null);
    const parent = await whole(client);
    const request = smallRun({ steps_per_sec: 0, keep_checkpoints: 9 });
    const stages = [
      ...request.stages.slice(0, 1),
      {
        name: "other",
        weights: { format: 0, accuracy: 1, consistency: 0 },
        from_epoch: 1,
        to_epoch: 3,
      },
    ];
    const order = {
      ...request,
      name: "child",
      seed: 9,
      stages,
      fork: { run_id: parent, step: 10, keeps_optimiser: false },
    };
    const answers = await Promise.all([client.runs.launch.mutate(order), client.runs.launch.mutate(order)]);
    const [{ run_id }] = answers;
    expect(answers[1].run_id).toBe(run_id);
    await until(client, run_id, "done");
    const follower = followRuns(client, [run_id]);
    cleanups.push(() => follower.stop());
    await follower.until("all", (at) => (at.series(run_id)?.step ?? 0) === 30);
    expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(30).slice(10));
    const { spec, attempts, run } = await client.runs.get.query({ run_id });
    expect(spec.forked_from).toEqual({ run_id: parent, step: 10, keeps_optimiser: false, root_seed: 1 });
    expect(run.forked_from).toEqual({ run_id: parent, step: 10 });
    expect(attempts[0]?.resume_step).toBe(10);

    const second = await client.runs.launch.mutate({
      ...smallRun({ steps_per_sec: 0 }),
      name: "grandchild",
      fork: { run_id, step: 20, keeps_optimiser: true },
    });
    await until(client, second.run_id, "done");
    const lineage = await client.runs.lineage.query({ run_id: second.run_id });
    expect(lineage.map((one) => [one.name, one.forked_from?.step ?? null])).toEqual([
      ["small", null],
      ["child", 10],
      ["grandchild", 20],
    ]);
    expect((await client.runs.get.query({ run_id: second.run_id })).spec.forked_from?.root_seed).toBe(1);

    rmSync(join(dataDir, "runs", parent, "checkpoints/checkpoint-15/COMPLETE.json"));
    await expect(
      client.runs.launch.mutate({
        ...smallRun(),
        fork: { run_id: parent, step: 15, keeps_optimiser: true },
      }),
    ).rejects.toThrow(/no whole checkpoint of step 15/);
    expect(await client.runs.list.query()).toHaveLength(3);
  });
});
