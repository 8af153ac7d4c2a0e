import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { metricPaths } from "@sightline/core/runs";
import { afterEach, describe, expect, it } from "vitest";
import { connect } from "./testing/client.ts";
import { type Follower, followRuns, oneTo, stepsInForce } from "./testing/follower.ts";
import { holdAgainstDisk } from "./testing/hold.ts";
import { launchSmall, smallRun } from "./testing/launch.ts";
import { attemptProcesses, processesOf } from "./testing/processes.ts";
import { makeDataDir, serveHere } from "./testing/servers.ts";

type Cleanup = () => unknown;
const cleanups: Cleanup[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function house() {
  const { dataDir, remove } = makeDataDir("runs");
  cleanups.push(remove);
  const server = await serveHere(dataDir);
  cleanups.push(() => server.close());
  const follow = (run_ids: string[]): Follower => {
    const follower = followRuns(server.client, run_ids);
    cleanups.push(() => follower.stop());
    return follower;
  };
  return { ...server, dataDir, follow };
}

const ended = (run_id: string) => (follower: Follower) =>
  ["done", "stopped", "interrupted", "failed", "lost"].includes(follower.run(run_id)?.state ?? "");

describe("a run on this machine", () => {
  it("goes from launch to done and every step is there once", async () => {
    const { client, follow } = await house();
    const run_id = await launchSmall(client);
    const follower = follow([run_id]);
    await follower.until("done", ended(run_id));
    expect(follower.run(run_id)).toMatchObject({
      state: "done",
      problem: null,
      simulated: true,
      step: 40,
      max_steps: 40,
      attempts: 1,
    });
    expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
    expect(new Set(follower.ids).size).toBe(follower.ids.length);

    const detail = await client.runs.get.query({ run_id });
    expect(detail.stages.map(({ name, from_step }) => [name, from_step])).toEqual([
      ["format", 1],
      ["accuracy", 11],
      ["consistency", 21],
    ]);
    expect(detail.attempts).toMatchObject([{ attempt: 1, verdict: "finished", ended: true, reason: "done" }]);
    expect(detail.quarantined.count).toBe(0);
    expect(detail.notes).toEqual([]);
    expect(detail.checkpoints.length).toBe(8);
    expect(detail.resumable).toBe(false);

    const tallies = follower.series(run_id)?.tallies ?? [];
    expect(tallies.map(({ step }) => step)).toEqual(oneTo(40));
    expect(tallies.every(({ n, groups }) => n === 4 && groups === 2)).toBe(true);
    const groups = await client.runs.completions.query({ run_id, step: 7 });
    expect(groups.map((group) => group.completions.length)).toEqual([2, 2]);
    expect(groups[0]?.prompt).toBeTypeOf("string");

    const log = await client.runs.log.query({ run_id, attempt: 1 });
    expect(log.text).toContain("step 40/40");
    expect(await client.runs.list.query()).toMatchObject([{ run_id, state: "done" }]);
    expect(await client.hosts.list.query()).toMatchObject([
      { host_id: "local", state: "ready", active_runs: 0 },
    ]);
  });

  it("starts one process for a double click, two tabs and a lost answer", async () => {
    const { client, dataDir, address, follow, app } = await house();
    const request = smallRun({ steps_per_sec: 1 });
    const { loadInstallToken } = await import("../../data-folder/token.ts");
    const other = await connect(address, loadInstallToken(dataDir));
    const answers = await Promise.all([
      client.runs.launch.mutate(request),
      client.runs.launch.mutate(request),
      other.runs.launch.mutate(request),
    ]);
    expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1);
    const run_id = answers[0].run_id;
    const follower = follow([run_id]);
    await follower.until("a first step", () => (follower.series(run_id)?.step ?? 0) > 0);
    // The answer of the host was lost: the row still says launching, so it is launched again.
    app.db.$client.prepare("UPDATE attempts SET phase = 'launching' WHERE run_id = ?").run(run_id);
    expect((await client.runs.launch.mutate(request)).run_id).toBe(run_id);
    const trainers = processesOf(dataDir).length;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(processesOf(dataDir).length).toBe(trainers);
    expect(await client.runs.list.query()).toHaveLength(1);
    await client.runs.stop.mutate({ run_id });
    await follower.until("stopped", ended(run_id));
    expect((await client.runs.get.query({ run_id })).attempts).toHaveLength(1);
  });

  it("stops with a checkpoint, leaves no process, and resumes without doubling a step", async () => {
    const { client, dataDir, follow } = await house();
    const run_id = await launchSmall(client, { steps_per_sec: 5, faults: "child@1, stray_child@2" });
    const follower = follow([run_id]);
    await follower.until("step 12", () => (follower.series(run_id)?.step ?? 0) >= 12);
    await client.runs.stop.mutate({ run_id });
    // Far less than the grace after which a trainer that does not obey is ended.
    await follower.until("stopped", ended(run_id), 60_000);
    expect(follower.run(run_id)).toMatchObject({ state: "stopped", problem: null });
    // The supervisor writes down the end and then goes itself.
    await expect.poll(() => processesOf(dataDir), { timeout: 40_000 }).toEqual([]);

    const { resumable } = await client.runs.get.query({ run_id });
    expect(resumable).toBe(true);
    expect(await client.runs.resume.mutate({ run_id })).toEqual({ attempt: 2 });
    expect(await client.runs.resume.mutate({ run_id })).toEqual({ attempt: 2 });
    await follower.until("done", (at) => at.run(run_id)?.state === "done");
    expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
    expect(follower.series(run_id)?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect((await client.runs.get.query({ run_id })).notes).toEqual([]);
  });

  it("keeps what a killed trainer did behind its checkpoint as rolled back", async () => {
    const { client, follow } = await house();
    const run_id = await launchSmall(client, { faults: "kill@13" });
    const follower = follow([run_id]);
    await follower.until("an end", ended(run_id));
    expect(follower.run(run_id)).toMatchObject({ state: "interrupted" });
    expect(follower.run(run_id)?.problem).toContain("SIGKILL");
    await client.runs.resume.mutate({ run_id });
    await follower.until("done", (at) => at.run(run_id)?.state === "done");
    const series = follower.series(run_id);
    expect(stepsInForce(series)).toEqual(oneTo(40));
    expect(series?.attempts[1]?.resume_step).toBe(10);
    const groups = await client.runs.completions.query({ run_id, step: 12 });
    expect(groups.map(({ attempt, rolled_back }) => [attempt, rolled_back])).toEqual([
      [1, true],
      [1, true],
      [2, false],
      [2, false],
    ]);
  });

  it("says what went wrong, by class, from the trainer's own words", async () => {
    const { client, follow } = await house();
    const runs = await Promise.all(
      ["gpu_memory@3", "diverged@3", "silent_crash@3"].map((faults) => launchSmall(client, { faults })),
    );
    const follower = follow(runs);
    for (const run_id of runs) await follower.until("an end", ended(run_id));
    expect(runs.map((run_id) => follower.run(run_id)?.state)).toEqual(["failed", "failed", "failed"]);
    for (const run_id of runs) expect(follower.run(run_id)?.problem).toMatch(/\w.*\./);
    expect(follower.run(runs[1] ?? "")?.problem).toContain("NaN");
    const detail = await client.runs.get.query({ run_id: runs[0] ?? "" });
    expect(detail.attempts[0]).toMatchObject({ exit_code: 71, reason: "failed", ended: true });
  });

  it("B37: reads a writer that stutters, cuts characters and writes nonsense, and loses no step", async () => {
    const { client, follow } = await house();
    const faults =
      "torn_line@3:0.3, utf8_cut@5:0.3, bad_line@7, bad_utf8@9, huge_line@11, unknown_type@13, duplicate_line@15, nan@17, infinity@19";
    const run_id = await launchSmall(client, { faults });
    const follower = follow([run_id]);
    await follower.until("done", ended(run_id));
    expect(follower.run(run_id)?.state).toBe("done");
    const series = follower.series(run_id);
    expect(stepsInForce(series)).toEqual(oneTo(40));
    // The type that nobody knows, and the line that was cut within a character.
    expect(series?.marks.filter(({ kind }) => kind === "unknown").map(({ step }) => step)).toEqual([5, 13]);
    const [loss] = series ? metricPaths(series, "loss") : [];
    expect(loss?.values[16]).toBeNaN();
    expect(loss?.values[18]).toBe(Number.POSITIVE_INFINITY);
    const { quarantined, notes } = await client.runs.get.query({ run_id });
    expect(quarantined.lines.map(({ reason }) => reason.split(/[ :]/)[0])).toEqual(["not", "not", "longer"]);
    expect(notes).toEqual([]);
  });

  it("B37: goes on when the file of a living run shrinks to nothing", async () => {
    const { client, dataDir, follow } = await house();
    const run_id = await launchSmall(client, { steps_per_sec: 4 });
    const follower = follow([run_id]);
    await follower.until("step 8", () => (follower.series(run_id)?.step ?? 0) >= 8);
    const trainer = attemptProcesses(dataDir, run_id, 1)?.trainer ?? 0;
    process.kill(trainer, "SIGSTOP");
    const isHeld = () => / T /.test(readFileSync(`/proc/${trainer}/stat`, "latin1"));
    const unread = () =>
      isHeld() ? holdAgainstDisk(dataDir, join(dataDir, "runs"), run_id) : ["it goes on"];
    await expect.poll(unread, { timeout: 40_000 }).toEqual([]);
    truncateSync(join(dataDir, "runs", run_id, "attempts/001/events.jsonl"), 0);
    const codes = async () => (await client.runs.get.query({ run_id })).notes.map(({ code }) => code);
    await expect.poll(codes, { timeout: 40_000 }).toContain("file_shrunk");
    process.kill(trainer, "SIGCONT");
    await follower.until("done", ended(run_id));
    expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
    expect(await codes()).toContain("file_shrunk");
  });

  it("keeps a list up to date for whoever watches it", async () => {
    const { client } = await house();
    const seen: string[] = [];
    const subscription = client.runs.followList.subscribe(undefined, {
      onData: (runs) => seen.push(runs.map((run) => `${run.state} ${run.step}`).join()),
    });
    cleanups.push(() => subscription.unsubscribe());
    await expect.poll(() => seen.length, { timeout: 40_000 }).toBeGreaterThan(0);
    await launchSmall(client, { steps_per_sec: 8 });
    await expect.poll(() => seen.at(-1), { timeout: 90_000 }).toBe("done 40");
    expect(seen[0]).toBe("");
    expect(seen.some((state) => state.startsWith("running"))).toBe(true);
  });

  it("trashes, restores and renames, but not while it runs", async () => {
    const { client, follow } = await house();
    const run_id = await launchSmall(client, { steps_per_sec: 5 });
    await expect(client.runs.trash.mutate({ run_ids: [run_id] })).rejects.toThrow(/Stop it first/);
    await client.runs.rename.mutate({ run_id, name: "renamed" });
    await client.runs.stop.mutate({ run_id });
    const follower = follow([run_id]);
    await follower.until("stopped", ended(run_id));
    await client.runs.trash.mutate({ run_ids: [run_id] });
    expect(await client.runs.list.query()).toEqual([]);
    expect(await client.runs.list.query({ trash: true })).toMatchObject([{ run_id, name: "renamed" }]);
    await expect(client.runs.resume.mutate({ run_id })).rejects.toThrow(/restore it first/);
    await client.runs.restore.mutate({ run_ids: [run_id] });
    expect(await client.runs.list.query()).toHaveLength(1);
  });

  it("refuses a launch that could not run, in sentences", async () => {
    const { client } = await house();
    await expect(client.runs.launch.mutate({ ...smallRun(), stages: [] })).rejects.toThrow(/no stage/);
    await expect(client.runs.launch.mutate({ ...smallRun(), host_id: "moon" })).rejects.toThrow(
      /no host moon/,
    );
    // Until it has looked everywhere, the server can't say that there is none.
    await expect
      .poll(() => client.runs.get.query({ run_id: "none" }).catch(String), { timeout: 40_000 })
      .toContain("There is no run none.");
    expect(await client.runs.list.query()).toEqual([]);
  });

  it("is found again when the database was lost", async () => {
    const { dataDir, remove } = makeDataDir("adopt");
    cleanups.push(remove);
    const first = await serveHere(dataDir);
    const run_id = await launchSmall(first.client, { steps_per_sec: 10 });
    const early = followRuns(first.client, [run_id]);
    await early.until("a step", () => (early.series(run_id)?.step ?? 0) > 2);
    early.stop();
    await first.close();
    const { readdirSync, rmSync } = await import("node:fs");
    for (const name of readdirSync(dataDir))
      if (name.startsWith("sightline.db")) rmSync(`${dataDir}/${name}`);
    const second = await serveHere(dataDir);
    cleanups.push(() => second.close());
    await expect
      .poll(async () => (await second.client.runs.list.query()).length, { timeout: 60_000 })
      .toBe(1);
    const follower = followRuns(second.client, [run_id]);
    cleanups.push(() => follower.stop());
    await follower.until("done", ended(run_id));
    expect(stepsInForce(follower.series(run_id))).toEqual(oneTo(40));
    expect(follower.run(run_id)).toMatchObject({ state: "done", name: "small", simulated: true });
  });
});
