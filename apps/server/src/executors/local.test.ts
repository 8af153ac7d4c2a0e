import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { childrenOf, kill, processesOf } from "../features/runs/testing/processes.ts";
import { makeDataDir } from "../features/runs/testing/servers.ts";
import { type Executor, HostRefusedError, refKey, type StreamCursor, UnreachableError } from "./executor.ts";
import { createLocalExecutor, findPython, NoPythonError, runEnvironment } from "./local.ts";
import { spec } from "./testing/sim-spec.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const { signal } = new AbortController();

function local(): { executor: Executor; root: string; dataDir: string } {
  const { dataDir, remove } = makeDataDir("local");
  const root = join(dataDir, "runs");
  const executor = createLocalExecutor({ root });
  cleanups.push(remove, () => executor.close());
  return { executor, root, dataDir };
}

async function readOut(executor: Executor, run_id: string): Promise<Map<string, Buffer>> {
  const bytes = new Map<string, Buffer>();
  let cursors: StreamCursor[] = (["events", "completions"] as const).map((stream) => ({
    run_id,
    attempt: 1,
    stream,
    segment: 1,
    offset: 0,
    inode: null,
  }));
  while (cursors.length > 0) {
    for (const chunk of await executor.read(cursors, signal)) {
      bytes.set(chunk.stream, Buffer.concat([bytes.get(chunk.stream) ?? Buffer.alloc(0), chunk.bytes]));
      cursors = cursors.filter(({ stream }) => stream !== chunk.stream);
      if (!chunk.ended) cursors.push(chunk.next);
    }
  }
  return bytes;
}

describe("this machine as a host", () => {
  it("launches once, is read to the end, and knows its runs", async () => {
    const { executor } = local();
    const order = { run_id: "run-a", attempt: 1, spec: spec("run-a", { steps_per_sec: 2 }) };
    const [first, second] = await Promise.all([
      executor.launch(order, signal),
      executor.launch(order, signal),
    ]);
    expect([first.dead, second.dead]).toEqual([false, false]);
    const bytes = await readOut(executor, "run-a");
    const lines = (bytes.get("events")?.toString().trim().split("\n") ?? []).map((text) => JSON.parse(text));
    expect(lines.filter(({ type }) => type === "attempt.start")).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ type: "attempt.end", reason: "done" });
    expect(bytes.get("completions")?.toString().trim().split("\n")).toHaveLength(16);
    const ref = { run_id: "run-a", attempt: 1 };
    const lost = { run_id: "run-z", attempt: 1 };
    const statuses = await executor.status([ref, lost], signal);
    expect(statuses.get(refKey(ref))).toMatchObject({
      verdict: "finished",
      dead: true,
      exit_code: 0,
      reason: "done",
    });
    expect(statuses.get(refKey(lost))).toMatchObject({ verdict: "lost", dead: true });
    expect(await executor.find(signal)).toMatchObject([{ run_id: "run-a", attempts: [{ attempt: 1 }] }]);
    expect((await executor.readLog(ref, null, 1000, signal)).bytes.toString()).toContain("step 8/8");
    expect((await executor.readLog(lost, null, 1000, signal)).size).toBe(0);
  });

  it("refuses another spec under the same name, and a second attempt while the first lives", async () => {
    const { executor } = local();
    const lasting = spec("run-a", { steps_per_sec: 2, steps_per_epoch: 400 });
    await executor.launch({ run_id: "run-a", attempt: 1, spec: lasting }, signal);
    const other = executor.launch({ run_id: "run-a", attempt: 1, spec: spec("run-a") }, signal);
    await expect(other).rejects.toMatchObject({ code: "conflict" });
    const next = executor.launch({ run_id: "run-a", attempt: 2, spec: lasting }, signal);
    await expect(next).rejects.toBeInstanceOf(HostRefusedError);
    await expect(next).rejects.toMatchObject({ code: "alive" });
    await executor.control({ run_id: "run-a", attempt: 1 }, "kill", signal);
    await expect
      .poll(
        async () =>
          (await executor.status([{ run_id: "run-a", attempt: 1 }], signal)).get("sl-run-a-1")?.dead,
        { timeout: 60_000 },
      )
      .toBe(true);
  });

  it("goes on with a new child when slctl was killed, and runs do not notice", async () => {
    const { executor, dataDir } = local();
    const lasting = spec("run-a", { steps_per_sec: 2, steps_per_epoch: 400 });
    await executor.launch({ run_id: "run-a", attempt: 1, spec: lasting }, signal);
    const before = processesOf(dataDir);
    const [serving, ...others] = childrenOf(process.pid, "slctl");
    expect(others).toEqual([]);
    const waiting = executor.read(
      [{ run_id: "run-a", attempt: 1, stream: "completions", segment: 99, offset: 0, inode: null }],
      signal,
    );
    kill(serving ?? 0);
    await expect(waiting).rejects.toBeInstanceOf(UnreachableError);
    await expect
      .poll(
        async () =>
          (await executor.status([{ run_id: "run-a", attempt: 1 }], signal)).get("sl-run-a-1")?.verdict,
        { timeout: 60_000 },
      )
      .toBe("running");
    expect(processesOf(dataDir)).toEqual(before);
  });

  it("says that Python is missing or too old, and what to do", async () => {
    const { dataDir, remove } = makeDataDir("python");
    cleanups.push(remove);
    await expect(findPython(join(dataDir, "nothing"))).rejects.toThrow(/Install python3/);
    const bin = join(dataDir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "python3"), "#!/bin/sh\necho 3 8\n");
    chmodSync(join(bin, "python3"), 0o755);
    await expect(findPython(bin)).rejects.toThrow(/is 3\.8\). Install python3/);
    const executor = createLocalExecutor({ root: join(dataDir, "runs"), search_path: bin });
    cleanups.push(() => executor.close());
    await expect(executor.doctor(signal)).rejects.toBeInstanceOf(NoPythonError);
    await expect(executor.doctor(signal)).rejects.toBeInstanceOf(UnreachableError);
  });

  it("hands a run no key or token of the server", () => {
    expect(
      runEnvironment({
        PATH: "/bin",
        LC_ALL: "C",
        OMP_NUM_THREADS: "1",
        HF_HOME: "/models",
        HF_TOKEN: "x",
        OPENAI_API_KEY: "x",
        SECRET: "x",
        NODE_OPTIONS: "--inspect",
      }),
    ).toEqual({ PATH: "/bin", LC_ALL: "C", OMP_NUM_THREADS: "1", HF_HOME: "/models" });
  });
});
