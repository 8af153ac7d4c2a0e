import type { FollowBatch, RunHistory, RunSummary } from "@sightline/core/runs";
import { createFlag, pause, type RunHub } from "./hub.ts";
import type { LineStore } from "./line-store.ts";

const BATCH_ROWS = 500;
/** Batches leave at most this often. */
const COALESCE_MS = 100;
/** Lines of one step come within a moment of each other; they are waited for even after a long silence. */
const GATHER_MS = 20;
const LIST_MS = 200;
/** A run with more event lines than this opens by buckets. */
const LONG_ROWS = 2000;

type Parts = {
  hub: RunHub;
  lines: LineStore;
  summaries(run_ids: string[]): RunSummary[];
  attempts(run_id: string): { attempt: number; resume_step: number | null; first_step: number | null }[];
};

/** What `runs.follow` asks for. */
export type FollowRequest = {
  run_ids: string[];
  /** The id of the last batch that arrived, or null to begin with the past. */
  last_id: number | null;
  /** Most buckets of one metric in the opening. */
  points: number;
  /** Only these metrics in the opening, or null for all. */
  metrics: string[] | null;
};

/**
 * Past and future of runs in one sequence. It listens before it reads, reads everything behind `last_id`, then waits
 * to be woken; what is committed meanwhile is found by the next read, since ids only rise. It ends with `signal` alone.
 *
 * Every batch carries the id from which another follower may go on without missing or repeating anything. An opening in
 * buckets carries 0 until its last part, so that one that was cut short begins again.
 */
export async function* follow(
  { hub, lines, summaries, attempts }: Parts,
  request: FollowRequest,
  signal: AbortSignal,
): AsyncGenerator<{ id: number; batch: FollowBatch }> {
  const { run_ids } = request;
  const wake = createFlag();
  const changed = new Set<string>(run_ids);
  const stop = hub.listen(new Set(run_ids), {
    lines: wake.raise,
    changed(run_id) {
      changed.add(run_id);
      wake.raise();
    },
  });
  try {
    // An id from another database (its folder was replaced) would wait for rows that have long been there.
    const isForeign = request.last_id !== null && request.last_id > lines.maxId();
    let last = request.last_id ?? 0;
    let sent = 0;
    /** Rows up to here came with the run's opening, which was made a little later than the first run's. */
    const opened = new Map<string, number>();
    if (last === 0 || isForeign) {
      last = lines.maxId();
      for (const [i, run_id] of run_ids.entries()) {
        if (signal.aborted) return;
        const history = openRun(run_id);
        opened.set(run_id, history.upto_id);
        const isLast = i === run_ids.length - 1;
        yield { id: isLast ? last : 0, batch: { kind: "history", histories: [history] } };
      }
    }
    while (!signal.aborted) {
      wake.lower();
      // States are read before the rows and told after them: whoever hears of an end has all that led to it.
      const told = [...changed];
      changed.clear();
      const runs = told.length > 0 ? summaries(told) : [];
      const { rows: found, tallies, upto_id, full } = lines.after(run_ids, last, BATCH_ROWS);
      const rows = found.filter(({ id, line }) => id > (opened.get(line.run_id) ?? 0));
      last = upto_id;
      if (rows.length > 0 || tallies.length > 0) yield { id: last, batch: { kind: "rows", rows, tallies } };
      if (full) {
        for (const run_id of told) changed.add(run_id);
        continue;
      }
      if (runs.length > 0) yield { id: last, batch: { kind: "state", runs } };
      sent = performance.now();
      await wake.wait(signal);
      await pause(Math.max(GATHER_MS, sent + COALESCE_MS - performance.now()), signal);
    }
  } finally {
    stop();
  }

  function openRun(run_id: string): RunHistory {
    const upto_id = lines.maxId();
    const max_steps = summaries([run_id])[0]?.max_steps ?? null;
    const tallies = lines.tallies(run_id);
    if (!lines.hasMoreThan(run_id, LONG_ROWS))
      return { run_id, upto_id, max_steps, series: [], rows: lines.allRows(run_id), tallies };
    const names = request.metrics === null ? null : new Set(request.metrics);
    const { series, width } = lines.history(run_id, request.points, attempts(run_id), names);
    return {
      run_id,
      upto_id,
      max_steps,
      series,
      rows: lines.marks(run_id),
      tallies: sumTallies(tallies, width),
    };
  }
}

/** The whole list at once, and again after each change, at most five times a second. */
export async function* followList(
  hub: RunHub,
  list: () => RunSummary[],
  signal: AbortSignal,
): AsyncGenerator<RunSummary[]> {
  const wake = createFlag();
  const stop = hub.listen(null, { lines: wake.raise, changed: wake.raise });
  try {
    while (!signal.aborted) {
      wake.lower();
      yield list();
      await pause(LIST_MS, signal);
      await wake.wait(signal);
    }
  } finally {
    stop();
  }
}

/** Adds tallies of the same attempt up over `width` steps; each sum stands at the first step that it holds. */
export function sumTallies(tallies: RunHistory["tallies"], width: number): RunHistory["tallies"] {
  const sums: RunHistory["tallies"] = [];
  for (const tally of tallies) {
    const last = sums.at(-1);
    const isSame =
      last !== undefined &&
      last.attempt === tally.attempt &&
      Math.floor(last.step / width) === Math.floor(tally.step / width);
    if (!isSame) {
      sums.push(structuredClone(tally));
      continue;
    }
    for (const field of [
      "n",
      "correct",
      "judged",
      "agreed",
      "groups",
      "tied_groups",
      "tied_right",
      "tied_wrong",
      "clipped",
      "tokens",
    ] as const)
      last[field] += tally[field];
    for (const task in tally.tasks) {
      const count = tally.tasks[task];
      if (!count) continue;
      const known = last.tasks[task] ?? { n: 0, correct: 0 };
      last.tasks[task] = { n: known.n + count.n, correct: known.correct + count.correct };
    }
    for (const field of ["letters", "golds", "rules", "judges"] as const)
      for (const [value, n] of Object.entries(tally[field]))
        last[field][value] = (last[field][value] ?? 0) + n;
  }
  return sums;
}
