import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { createDecoderPool, type DecoderPool, type PoolOptions } from "./decoder-pool.ts";
import { MediaProblem } from "./problem.ts";
import { getFixture } from "./testing/fixtures.ts";

const scratch = mkdtempSync(join(tmpdir(), "sightline-pool-"));
const pools: DecoderPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function makePool(options: PoolOptions = {}): DecoderPool {
  const pool = createDecoderPool(1, options);
  pools.push(pool);
  return pool;
}

async function waitUntil<T>(ask: () => T): Promise<Exclude<T, false | 0>> {
  for (;;) {
    const answer = ask();
    if (answer) return answer as Exclude<T, false | 0>;
    await sleep(50);
  }
}

/** False also for a process that has ended but was not yet buried by its new parent. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return (
      !existsSync("/proc/self/status") || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    );
  } catch {
    return false;
  }
}

const BAD = { processFile: join(import.meta.dirname, "testing/bad-process.ts") };
const ask = (pool: DecoderPool, file: string, signal?: AbortSignal) =>
  pool.run(
    "read",
    { file, thumbs_dir: scratch, interval_secs: 1 },
    { lane: "background", ...(signal && { signal }) },
  );

test("a clip is read in a process of its own, with pictures of its sampled frames", async () => {
  const pool = makePool();
  const { index, facts } = await ask(pool, getFixture("cfr-30.mp4"));
  expect(index.time_secs).toBeInstanceOf(Float64Array);
  expect(index.time_secs.length).toBe(60);
  expect(facts.codec).toBe("h264");
  expect(readdirSync(scratch).sort()).toEqual(["0.jpg", "30.jpg", "59.jpg", "poster.jpg"]);
});

test("what is wrong with a file comes back as a sentence, and the next file is read", async () => {
  const pool = makePool();
  await expect(ask(pool, getFixture("text.mp4"))).rejects.toThrow(MediaProblem);
  expect((await ask(pool, getFixture("two-frames.mp4"))).index.time_secs.length).toBe(2);
});

test("a decoder that crashes takes only its file with it", async () => {
  const pool = makePool(BAD);
  await expect(ask(pool, "crash")).rejects.toThrow("The decoder crashed on this file");
  await expect(ask(pool, "pid")).resolves.toBeTypeOf("number");
});

test("a decoder that hangs is stopped, and the next one works", async () => {
  const pool = makePool({ ...BAD, silenceMs: 3000 });
  await ask(pool, "pid");
  await expect(ask(pool, "hang")).rejects.toThrow("got stuck");
  await expect(ask(pool, "pid")).resolves.toBeTypeOf("number");
});

test("a decoder that hangs does not outlive a server that was killed", async () => {
  const note = join(scratch, "pid");
  const server = spawn(
    process.execPath,
    ["--import", "tsx", join(import.meta.dirname, "testing/pool-owner.ts"), BAD.processFile, `hang:${note}`],
    { stdio: "ignore" },
  );
  const pid = await waitUntil(() => existsSync(note) && Number(readFileSync(note, "utf8")));
  expect(isAlive(pid)).toBe(true);
  server.kill("SIGKILL");
  await waitUntil(() => !isAlive(pid));
});

test("a decoder that can't start is not the file's fault", async () => {
  const broken = join(scratch, "broken.ts");
  writeFileSync(broken, 'throw new Error("no library for this machine");');
  const failure = await ask(makePool({ processFile: broken }), "pid").catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(MediaProblem);
  expect((failure as Error).message).toMatch(/could not be started.*no library/s);
});

test("cancelling ends work at once, whether it runs or waits", async () => {
  const pool = makePool(BAD);
  const running = new AbortController();
  const waiting = new AbortController();
  const progress: number[] = [];
  const first = pool.run(
    "read",
    { file: "slow", thumbs_dir: scratch, interval_secs: 1 },
    {
      lane: "background",
      signal: running.signal,
      onProgress(done) {
        progress.push(done);
        if (done === 3) running.abort();
      },
    },
  );
  const second = ask(pool, "pid", waiting.signal);
  waiting.abort();
  await expect(second).rejects.toThrow(/cancelled|abort/i);
  await expect(first).rejects.toThrow(/cancelled|abort/i);
  expect(progress).toEqual([1, 2, 3]);
  await expect(ask(pool, "pid")).resolves.toBeTypeOf("number");
  await expect(ask(pool, "pid", waiting.signal)).rejects.toThrow(/abort/i);
});

test("what a person waits for does not queue behind long work", async () => {
  const pool = makePool(BAD);
  const stop = new AbortController();
  const long = ask(pool, "slow", stop.signal).catch(() => "stopped");
  const quick = pool.run("luma", { file: "pid" } as never, { lane: "interactive" });
  await expect(quick).resolves.toBeTypeOf("number");
  stop.abort();
  await expect(long).resolves.toBe("stopped");
});

test("a closed pool refuses", async () => {
  const pool = makePool(BAD);
  const asked = ["slow", "slow", "slow"].map((file) => ask(pool, file).catch((error: unknown) => error));
  pool.close();
  for (const one of await Promise.all(asked)) expect(one).toBeInstanceOf(Error);
  await expect(ask(pool, "pid")).rejects.toThrow("shut down");
});
