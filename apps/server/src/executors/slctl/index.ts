import { z } from "zod";
import { type Elsewhere, type Executor, HostRefusedError, refKey } from "../executor.ts";
import {
  readCheckpoints,
  readChunks,
  readFacts,
  readFound,
  readInspected,
  readPruned,
  readSearched,
  readStatus,
  readStatuses,
  readUsage,
} from "./answers.ts";
import { ANSWER_SECS, createSlctlLink, type RetryMs, type SlctlChannel } from "./link.ts";
import type { Answer } from "./session.ts";

/** An executor whose host runs slctl. */
export type SlctlExecutor = Executor & {
  /** Asks slctl for what no executor has in common. */
  ask(op: string, fields: Record<string, unknown>, signal: AbortSignal): Promise<Answer["header"]>;
  /** Forgets what failed before: the next request tries at once. */
  tryAgain(): void;
};

const READ_WAIT_SECS = 20;
const READ_BYTES = 4 * 1_048_576;
const LAUNCH_SECS = 60;
/** For what reads or copies gigabytes on the host. */
const SLOW_SECS = 600;

/**
 * An executor that speaks to `slctl serve`.
 *
 * @param options.open  See `createSlctlLink`; `retry_ms` too.
 * @param options.root  The folder of all run directories, on the host.
 * @param options.python  The interpreter that trains, or null for the one that runs slctl.
 * @param options.elsewhere  Says of which runs the directory lies outside the root.
 */
export function createSlctlExecutor(options: {
  kind: Executor["kind"];
  root: string;
  python: string | null;
  open(): Promise<SlctlChannel>;
  retry_ms?: RetryMs;
  elsewhere?: Elsewhere | undefined;
}): SlctlExecutor {
  const { root, elsewhere = () => null } = options;
  const link = createSlctlLink(options);

  const request = (
    op: string,
    fields: Record<string, unknown>,
    signal?: AbortSignal,
    timeout_secs?: number,
  ): Promise<Answer> => link.request(op, { root, ...fields }, signal, timeout_secs);

  /** What a question names a run by. */
  const nameOf = (run_id: string) => {
    const dir = elsewhere(run_id);
    return dir === null ? { run_id } : { run_id, dir };
  };
  const refuseWatched = (run_id: string) => {
    if (elsewhere(run_id) !== null)
      throw new HostRefusedError("watched", "The run was started elsewhere; it is only looked at.");
  };

  return {
    kind: options.kind,
    directory: (run_id) => elsewhere(run_id) ?? `${root}/${run_id}`,

    async doctor(signal) {
      await request("ping", {}, signal);
      const before = Date.now() / 1000;
      const { header } = await request("doctor", {}, signal);
      const time_secs = (before + Date.now() / 1000) / 2;
      return readFacts(header.facts, { time_secs, noise_bytes: link.noise_bytes });
    },

    async usage(signal) {
      const { header } = await request("usage", {}, signal);
      return readUsage(header.usage);
    },

    async launch({ spec, attempt, python, data, overrides, note }, signal) {
      refuseWatched(spec.run_id);
      const fields = {
        spec,
        attempt,
        executor: options.kind,
        ...(data ? { data } : {}),
        ...(overrides && Object.keys(overrides).length > 0 ? { overrides } : {}),
        ...(note ? { note } : {}),
        ...((python ?? options.python) ? { python: python ?? options.python } : {}),
      };
      const { header } = await request("launch", fields, signal, LAUNCH_SECS);
      return readStatus(header.status);
    },

    async status(refs, signal) {
      if (refs.length === 0) return new Map();
      const attempts = refs.map(({ run_id, attempt }) => ({ ...nameOf(run_id), attempt }));
      const { header } = await request("status", { attempts }, signal);
      return new Map(readStatuses(header.attempts).map((row) => [refKey(row), row]));
    },

    async read(cursors, signal) {
      const { header, blob } = await request(
        "read",
        {
          cursors: cursors.map((cursor) => ({ ...cursor, ...nameOf(cursor.run_id) })),
          wait_secs: READ_WAIT_SECS,
          max_bytes: READ_BYTES,
        },
        signal,
        READ_WAIT_SECS + ANSWER_SECS,
      );
      return readChunks(header.chunks, blob);
    },

    async readLog({ run_id, attempt }, offset, max_bytes, signal) {
      try {
        const { header, blob } = await request(
          "log",
          { ...nameOf(run_id), attempt, offset, max_bytes },
          signal,
        );
        return { offset: z.number().parse(header.offset), size: z.number().parse(header.size), bytes: blob };
      } catch (error) {
        if (error instanceof HostRefusedError && error.code === "not_found")
          return { offset: 0, size: 0, bytes: Buffer.alloc(0) };
        throw error;
      }
    },

    async control({ run_id, attempt }, command, signal) {
      refuseWatched(run_id);
      await request("control", { run_id, attempt, command }, signal);
    },

    async find(signal) {
      const { header } = await request("find", {}, signal);
      return readFound(header.runs);
    },

    async ask(op, fields, signal) {
      return (await request(op, fields, signal)).header;
    },

    tryAgain: link.tryAgain,

    async inspect(directory, signal) {
      const { header } = await request("inspect", { dir: directory }, signal);
      return readInspected(header.run);
    },

    async checkpoints(run_id, signal) {
      const { header } = await request("checkpoints", nameOf(run_id), signal);
      return readCheckpoints(header.checkpoints);
    },

    async readFile(run_id, path, offset, max_bytes, signal) {
      const { blob } = await request("fetch", { ...nameOf(run_id), path, offset, max_bytes }, signal);
      return blob;
    },

    async digest(run_id, path, signal) {
      const { header } = await request("digest", { ...nameOf(run_id), path }, signal, SLOW_SECS);
      return z.string().parse(header.sha256);
    },

    async prune(run_id, steps, signal) {
      const { header } = await request("prune", { run_id, steps }, signal, SLOW_SECS);
      return readPruned(header);
    },

    async fork(spec, signal) {
      await request("fork", { spec }, signal, SLOW_SECS);
    },

    async discard(run_id, signal) {
      refuseWatched(run_id);
      await request("gc", { run_id, keep: "nothing" }, signal, SLOW_SECS);
    },

    async search(folder, signal) {
      const { header } = await request("search", { folder }, signal);
      return readSearched(header);
    },

    close: link.close,
  };
}
