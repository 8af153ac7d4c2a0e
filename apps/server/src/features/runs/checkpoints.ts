import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { appendFile, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CheckpointList, CheckpointRow, RunSpec } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import {
  type Executor,
  type HostCheckpoint,
  HostRefusedError,
  type PruneReport,
  UnreachableError,
} from "../../executors/executor.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { LineStore } from "./line-store.ts";
import type { RunRecord } from "./schema.ts";
import type { RunStore } from "./store.ts";

const ASK_MS = 20_000;
const SLOW_MS = 600_000;
const PIECE_BYTES = 4 * 1_048_576;

/** Where a checkpoint is fetched to: below a folder that the owner listed. */
export type FetchTarget = { folder_id: string; path: string };

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** Lists, fetches and deletes the checkpoints of runs, wherever these are. */
export function createCheckpoints(parts: {
  store: RunStore;
  lines: LineStore;
  jobs: Jobs;
  /** Where fetched checkpoints go when no other folder is named. */
  home: string;
  executor(host_id: string): Executor;
  /** The real path of a listed folder. */
  resolveFolder(folder_id: string, path: string): Promise<string>;
}) {
  const { store, lines, jobs, home, executor } = parts;
  const fetching = new Map<string, ReturnType<typeof startFetch>>();

  const list = async (run: RunRecord): Promise<CheckpointList> => {
    let problem: string | null = null;
    let found: Omit<HostCheckpoint, "path">[] = [];
    try {
      found = await executor(run.host_id).checkpoints(run.run_id, AbortSignal.timeout(ASK_MS));
    } catch (error) {
      problem = `The host can't be asked now, so this is what the run said: ${wordsOf(error)}`;
      found = lines
        .linesOf(run.run_id, "checkpoint")
        .map(({ step, bytes, complete }) => ({ step, bytes, complete, time_secs: null, files: [] }));
    }
    const ends = stageEnds(lines.linesOf(run.run_id, "stage"));
    const forks = store.forksOf(run.run_id);
    const needed = run.state === "done" ? undefined : found.findLast(({ complete }) => complete)?.step;
    const rows = found.map(
      async (one): Promise<CheckpointRow> => ({
        step: one.step,
        bytes: one.bytes,
        complete: one.complete,
        time_secs: one.time_secs,
        files: one.files.length,
        ends_stage: ends.get(one.step) ?? null,
        forks: forks
          .filter(({ forked_from_step }) => forked_from_step === one.step)
          .map(({ run_id, name }) => ({ run_id, name })),
        is_needed: one.step === needed,
        ...(await lookFor(run.run_id, one.step)),
      }),
    );
    return { checkpoints: await Promise.all(rows), problem };
  };

  const lookFor = async (run_id: string, step: number) => {
    const folder = join(home, folderName(run_id, step));
    if (existsSync(folder)) return { fetched: folder, fetched_bytes: 0 };
    return { fetched: null, fetched_bytes: await bytesBelow(draftOf(folder)) };
  };

  const fetchAll = async (
    run: RunRecord,
    checkpoint: HostCheckpoint,
    folder: string,
    control: { signal: AbortSignal; progress(done: number, total: number): void },
  ) => {
    const host = executor(run.host_id);
    const draft = draftOf(folder);
    let done = 0;
    for (const file of checkpoint.files) {
      const path = `${checkpoint.path}/${file.path}`;
      const target = join(draft, file.path);
      await mkdir(dirname(target), { recursive: true });
      let have = await sizeOf(target);
      if (have > file.bytes) {
        await rm(target);
        have = 0;
      }
      if (have === 0) await appendFile(target, "");
      while (have < file.bytes) {
        control.signal.throwIfAborted();
        control.progress(done + have, checkpoint.bytes);
        const piece = await host.readFile(run.run_id, path, have, PIECE_BYTES, control.signal);
        if (piece.length === 0)
          throw new Error(`${file.path} got shorter on the host: the checkpoint was pruned meanwhile.`);
        await appendFile(target, piece);
        have += piece.length;
      }
      done += file.bytes;
      control.signal.throwIfAborted();
      if ((await host.digest(run.run_id, path, control.signal)) !== (await digestOf(target))) {
        await rm(target);
        throw new Error(`${file.path} is not what the host holds (its SHA-256 differs). Fetch it again.`);
      }
    }
    control.progress(done, checkpoint.bytes);
    await rename(draft, folder);
  };

  const startFetch = async (run: RunRecord, step: number, folder: string) => {
    const found = await ask(() => executor(run.host_id).checkpoints(run.run_id, AbortSignal.timeout(ASK_MS)));
    const checkpoint = found.find((one) => one.step === step);
    if (!checkpoint?.complete)
      throw refusal(`${run.name} has no whole checkpoint of step ${step} on its host any more.`);
    if (checkpoint.files.some(({ path }) => path.split("/").includes("..") || path.startsWith("/")))
      throw refusal("The host named a file outside the checkpoint; nothing was fetched.");
    return jobs.start(
      { kind: "checkpoint", title: `Fetch step ${step} of ${run.name}`, clip_id: null },
      async (control) => {
        control.begin();
        await fetchAll(run, checkpoint, folder, control);
      },
    );
  };

  return {
    list,

    /**
     * Brings a checkpoint to the server as a job. One that was cancelled or broke goes on where it was; every file is
     * held against the host's SHA-256 before the folder gets its name.
     */
    async fetch(run: RunRecord, step: number, to: FetchTarget | null): Promise<{ job_id: string }> {
      const at = to === null ? home : await parts.resolveFolder(to.folder_id, to.path);
      const folder = join(at, folderName(run.run_id, step));
      const known = fetching.get(folder);
      if (known !== undefined) return { job_id: (await known).job.job_id };
      if (existsSync(folder)) throw refusal(`It is there already: ${folder}`);
      const started = startFetch(run, step, folder);
      // Before the host has answered, so that a double click does not fetch twice into one folder.
      fetching.set(folder, started);
      void started
        .then(({ ended }) => ended)
        .catch(() => undefined)
        .finally(() => fetching.delete(folder));
      return { job_id: (await started).job.job_id };
    },

    /** Deletes checkpoints of the given steps; those that forks began from and the one that is needed are refused. */
    async prune(run: RunRecord, steps: number[]): Promise<PruneReport> {
      const { checkpoints, problem } = await list(run);
      if (problem !== null) throw refusal(`Nothing was deleted. ${problem}`);
      const kept = checkpoints.filter(
        (one) => steps.includes(one.step) && (one.is_needed || one.forks.length > 0),
      );
      if (kept.length > 0)
        throw refusal(
          `Nothing was deleted: step ${kept.map(({ step }) => step).join(", ")} is needed to resume, or runs were forked from it.`,
        );
      return ask(() => executor(run.host_id).prune(run.run_id, steps, AbortSignal.timeout(SLOW_MS)));
    },

    /** Keeps the checkpoint that a run will begin from, before anything is written of that run. */
    pin: (host_id: string, spec: RunSpec): Promise<void> =>
      ask(() => executor(host_id).fork(spec, AbortSignal.timeout(SLOW_MS))),
  };
}

/** Steps with which a stage ends, and its name. The last stage ends with the run. */
function stageEnds(stages: readonly { name: string; from_step: number }[]): Map<number, string> {
  const begun = [...new Map(stages.map((stage) => [stage.from_step, stage.name]))].sort(([a], [b]) => a - b);
  return new Map(
    begun.slice(1).map(([from_step], index) => [from_step - 1, begun[index]?.[1] ?? ""] as const),
  );
}

function folderName(run_id: string, step: number): string {
  return `${run_id}-checkpoint-${step}`;
}

function draftOf(folder: string): string {
  return `${folder}.part`;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function bytesBelow(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = names
    .filter((entry) => entry.isFile())
    .map((entry) => sizeOf(join(entry.parentPath, entry.name)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function refusal(message: string): TRPCError {
  return new TRPCError({ code: "PRECONDITION_FAILED", message });
}

async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof HostRefusedError) throw refusal(error.message);
    throw error;
  }
}
