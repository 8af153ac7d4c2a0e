import type { LineOf, RewardWeights, UnknownLine, WireLine } from "../wire/index.ts";
import { bucketPoints } from "./buckets.ts";
import { clockOfName, isClockMetric, isKnown, type MetricEntries, metricEntries } from "./entries.ts";
import { appendPoints, emptyPoints, lastStep, type Points } from "./points.ts";
import type { BucketColumns, FollowBatch, RunHistory, RunRow, StepTally } from "./types.ts";

/**
 * The fold of a run's rows into what the pictures need. Pure: every function returns a new value and leaves the old
 * one usable. A row is folded in once: ids rise, and a row whose id is not above `last_id` changes nothing.
 */

/** One metric over a stretch of one attempt in which steps rise. */
export type MetricStretch = {
  name: string;
  attempt: number;
  segment: number;
  points: Points;
  /** The bucketed beginning that `points` opens with, or null; `past_length` of the points came from it. */
  past: BucketColumns | null;
  past_length: number;
};

/** Where an attempt stands in its run. */
export type AttemptMark = {
  attempt: number;
  /** Step of the checkpoint that it went on from; 0 when it began anew; null until its start was seen. */
  resume_step: number | null;
  first_step: number | null;
  started_secs: number | null;
  end: LineOf<"attempt.end"> | null;
  device: string | null;
};

export type StageMark = {
  attempt: number;
  index: number;
  name: string;
  weights: RewardWeights;
  normalised: RewardWeights;
  from_step: number;
  from_epoch: number;
};

/** Something to mark on the time axis. `step` is the last step that was reached when it happened. */
export type EventMark = {
  id: number;
  attempt: number;
  step: number;
  time_secs: number;
} & (
  | { kind: "start"; resume_step: number | null }
  | { kind: "stage"; name: string; weights: RewardWeights }
  | { kind: "checkpoint"; path: string; bytes: number; complete: boolean }
  | { kind: "warn" | "error"; code: string; message: string; hint: string; detail: string }
  | { kind: "evaluation"; evaluation: LineOf<"evaluation"> }
  | { kind: "went_back"; from_step: number }
  | { kind: "end"; reason: string; exit_code: number }
  | { kind: "unknown"; type: string }
);

type Clock = { last_step: number; segment: number };

/** Everything that is drawn of one run. */
export type RunSeries = {
  run_id: string;
  /** Highest row id that was folded in. */
  last_id: number;
  step: number | null;
  epoch: number | null;
  max_steps: number | null;
  metrics: ReadonlyMap<string, readonly MetricStretch[]>;
  attempts: readonly AttemptMark[];
  stages: readonly StageMark[];
  marks: readonly EventMark[];
  /** By attempt, then rising step. */
  tallies: readonly StepTally[];
  /** Of the newest attempt. */
  phase: LineOf<"phase"> | null;
  /** The newest 360 (an hour). */
  system: readonly LineOf<"system">[];
  /** Rows that repeated a step of their metric; the first one counts. */
  duplicate_rows: number;
  clocks: ReadonlyMap<string, Clock>;
};

const SYSTEM_ROWS = 360;

export function emptySeries(run_id: string): RunSeries {
  return {
    run_id,
    last_id: 0,
    step: null,
    epoch: null,
    max_steps: null,
    metrics: new Map(),
    attempts: [],
    stages: [],
    marks: [],
    tallies: [],
    phase: null,
    system: [],
    duplicate_rows: 0,
    clocks: new Map(),
  };
}

type Draft = {
  base: RunSeries;
  last_id: number;
  step: number | null;
  epoch: number | null;
  max_steps: number | null;
  pending: Map<string, { name: string; attempt: number; segment: number; steps: number[]; values: number[] }>;
  attempts: AttemptMark[];
  stages: StageMark[];
  marks: EventMark[];
  phase: LineOf<"phase"> | null;
  system: LineOf<"system">[];
  duplicate_rows: number;
  clocks: Map<string, Clock>;
};

/** Folds rows of one run in, in the order of their ids, and the tallies that came with them. */
export function appendRows(
  series: RunSeries,
  rows: readonly RunRow[],
  tallies: readonly StepTally[] = [],
): RunSeries {
  const fresh = rows.filter((row) => row.id > series.last_id);
  if (fresh.length === 0 && tallies.length === 0) return series;
  const draft: Draft = {
    base: series,
    last_id: series.last_id,
    step: series.step,
    epoch: series.epoch,
    max_steps: series.max_steps,
    pending: new Map(),
    attempts: [...series.attempts],
    stages: [...series.stages],
    marks: [...series.marks],
    phase: series.phase,
    system: [...series.system],
    duplicate_rows: series.duplicate_rows,
    clocks: new Map(series.clocks),
  };
  for (const row of fresh) {
    draft.last_id = row.id;
    if (row.at_step !== undefined) draft.step = row.at_step;
    foldRow(draft, row);
  }
  return {
    run_id: series.run_id,
    last_id: draft.last_id,
    step: draft.step,
    epoch: draft.epoch,
    max_steps: draft.max_steps,
    metrics: flush(series.metrics, draft.pending),
    attempts: draft.attempts,
    stages: draft.stages,
    marks: draft.marks,
    tallies: mergeTallies(series.tallies, tallies),
    phase: draft.phase,
    system: draft.system.slice(-SYSTEM_ROWS),
    duplicate_rows: draft.duplicate_rows,
    clocks: draft.clocks,
  };
}

/** A run whose past came in buckets; rows above `upto_id` go on from there. */
export function seriesFromHistory(history: RunHistory): RunSeries {
  const clocks = new Map<string, Clock>();
  const metrics = new Map<string, MetricStretch[]>();
  for (const { attempt, segment, name, buckets } of history.series) {
    const { steps, values } = bucketPoints(buckets);
    const points = appendPoints(emptyPoints(steps.length + 16), steps, values);
    const stretches = metrics.get(name) ?? [];
    stretches.push({ name, attempt, segment, points, past: buckets, past_length: points.length });
    metrics.set(name, stretches);
    const last = lastStep(points);
    if (last === null) continue;
    const clock = `${attempt}:${clockOfName(name)}`;
    const known = clocks.get(clock);
    if (!known || known.segment < segment || (known.segment === segment && known.last_step < last))
      clocks.set(clock, { segment, last_step: last });
  }
  const base: RunSeries = {
    ...emptySeries(history.run_id),
    max_steps: history.max_steps,
    metrics,
    clocks,
  };
  const marked = appendRows(base, history.rows, history.tallies);
  const newest = marked.attempts.at(-1)?.attempt ?? 1;
  return {
    ...marked,
    step: clocks.get(`${newest}:train`)?.last_step ?? marked.step,
    attempts: marked.attempts.map((mark) => ({ ...mark, first_step: firstStep(metrics, mark.attempt) })),
    last_id: history.upto_id,
  };
}

/** Folds one message of `runs.follow` into the runs that it speaks of. State messages change no series. */
export function appendBatch(
  runs: ReadonlyMap<string, RunSeries>,
  batch: FollowBatch,
): ReadonlyMap<string, RunSeries> {
  if (batch.kind === "state") return runs;
  const next = new Map(runs);
  if (batch.kind === "history") {
    for (const history of batch.histories) next.set(history.run_id, seriesFromHistory(history));
    return next;
  }
  const byRun = new Map<string, { rows: RunRow[]; tallies: StepTally[] }>();
  const of = (run_id: string) => {
    const found = byRun.get(run_id) ?? { rows: [], tallies: [] };
    byRun.set(run_id, found);
    return found;
  };
  for (const row of batch.rows) of(row.line.run_id).rows.push(row);
  for (const tally of batch.tallies) of(tally.run_id).tallies.push(tally);
  for (const [run_id, { rows, tallies }] of byRun) {
    next.set(run_id, appendRows(next.get(run_id) ?? emptySeries(run_id), rows, tallies));
  }
  return next;
}

function foldRow(draft: Draft, { id, line }: RunRow): void {
  const points = metricEntries(line);
  if (points) foldPoints(draft, id, line, points);
  if (isKnown(line, "metrics")) {
    if (line.split === "train") {
      draft.step = line.step;
      draft.epoch = line.epoch;
      draft.max_steps = line.max_steps;
    }
  } else if (isKnown(line, "attempt.start")) {
    const resume_step = line.resume_from?.step ?? 0;
    changeAttempt(draft, line.attempt, {
      resume_step,
      started_secs: line.time_secs,
      device: line.device.name,
    });
    draft.step = line.resume_from?.step ?? draft.step;
    draft.phase = null;
    mark(draft, id, line, { kind: "start", resume_step: line.resume_from?.step ?? null });
  } else if (isKnown(line, "stage")) {
    const { attempt, index, name, weights, normalised, from_step, from_epoch } = line;
    draft.stages.push({ attempt, index, name, weights, normalised, from_step, from_epoch });
    mark(draft, id, line, { kind: "stage", name, weights }, from_step);
  } else if (isKnown(line, "phase")) {
    draft.phase = line;
  } else if (isKnown(line, "system")) {
    draft.system.push(line);
  } else if (isKnown(line, "checkpoint")) {
    const { path, bytes, complete } = line;
    mark(draft, id, line, { kind: "checkpoint", path, bytes, complete }, line.step);
  } else if (isKnown(line, "evaluation")) {
    mark(draft, id, line, { kind: "evaluation", evaluation: line }, line.step);
  } else if (isKnown(line, "warn") || isKnown(line, "error")) {
    const { type: kind, code, message, hint, detail } = line;
    mark(draft, id, line, { kind, code, message, hint, detail });
  } else if (isKnown(line, "attempt.end")) {
    changeAttempt(draft, line.attempt, { end: line });
    mark(draft, id, line, { kind: "end", reason: line.reason, exit_code: line.exit_code }, line.step);
  } else if (!points) {
    mark(draft, id, line, { kind: "unknown", type: line.type });
  }
}

type MarkDetail = EventMark extends infer M
  ? M extends EventMark
    ? Omit<M, "id" | "attempt" | "step" | "time_secs">
    : never
  : never;

function mark(
  draft: Draft,
  id: number,
  line: WireLine | UnknownLine,
  detail: MarkDetail,
  step = draft.step ?? 0,
): void {
  draft.marks.push({ id, attempt: line.attempt, step, time_secs: line.time_secs, ...detail } as EventMark);
}

function foldPoints(
  draft: Draft,
  id: number,
  line: WireLine | UnknownLine,
  { clock: clockName, step, names, values }: MetricEntries,
): void {
  const { attempt } = line;
  const key = `${attempt}:${clockName}`;
  let clock = draft.clocks.get(key);
  if (!clock || step < clock.last_step) {
    if (clock) mark(draft, id, line, { kind: "went_back", from_step: clock.last_step }, step);
    clock = { last_step: step, segment: clock ? clock.segment + 1 : 0 };
    draft.clocks.set(key, clock);
  } else if (step > clock.last_step) {
    clock = { ...clock, last_step: step };
    draft.clocks.set(key, clock);
  }
  const known = draft.attempts.find((mark) => mark.attempt === attempt);
  if (!known || known.first_step === null || step < known.first_step)
    changeAttempt(draft, attempt, { first_step: step });
  let repeated = false;
  for (const [i, name] of names.entries()) {
    const stretchKey = `${attempt}:${clock.segment}:${name}`;
    let pending = draft.pending.get(stretchKey);
    if (!pending) {
      pending = { name, attempt, segment: clock.segment, steps: [], values: [] };
      draft.pending.set(stretchKey, pending);
    }
    const last = pending.steps.at(-1) ?? lastOf(draft.base, name, attempt, clock.segment);
    if (last !== null && last >= step) {
      if (!isClockMetric(name)) repeated = true;
      continue;
    }
    pending.steps.push(step);
    pending.values.push(values[i] ?? Number.NaN);
  }
  if (repeated) draft.duplicate_rows += 1;
}

function lastOf(series: RunSeries, name: string, attempt: number, segment: number): number | null {
  const stretch = series.metrics.get(name)?.find((at) => at.attempt === attempt && at.segment === segment);
  return stretch ? lastStep(stretch.points) : null;
}

function changeAttempt(draft: Draft, attempt: number, change: Partial<AttemptMark>): void {
  const at = draft.attempts.findIndex((mark) => mark.attempt === attempt);
  const known = draft.attempts[at] ?? {
    attempt,
    resume_step: null,
    first_step: null,
    started_secs: null,
    end: null,
    device: null,
  };
  if (at < 0) {
    draft.attempts.push({ ...known, ...change });
    draft.attempts.sort((a, b) => a.attempt - b.attempt);
  } else draft.attempts[at] = { ...known, ...change };
}

function flush(metrics: RunSeries["metrics"], pending: Draft["pending"]): RunSeries["metrics"] {
  if (pending.size === 0) return metrics;
  const next = new Map(metrics);
  for (const { name, attempt, segment, steps, values } of pending.values()) {
    if (steps.length === 0) continue;
    const stretches = [...(next.get(name) ?? [])];
    const at = stretches.findIndex((stretch) => stretch.attempt === attempt && stretch.segment === segment);
    const known = stretches[at];
    if (known) stretches[at] = { ...known, points: appendPoints(known.points, steps, values) };
    else {
      const points = appendPoints(emptyPoints(), steps, values);
      stretches.push({ name, attempt, segment, points, past: null, past_length: 0 });
    }
    next.set(name, stretches);
  }
  return next;
}

function firstStep(metrics: ReadonlyMap<string, readonly MetricStretch[]>, attempt: number): number | null {
  let first: number | null = null;
  for (const stretches of metrics.values()) {
    for (const stretch of stretches) {
      const step = stretch.points.store.steps[0];
      if (stretch.attempt !== attempt || stretch.points.length === 0 || step === undefined) continue;
      if (first === null || step < first) first = step;
    }
  }
  return first;
}

function mergeTallies(old: readonly StepTally[], changed: readonly StepTally[]): readonly StepTally[] {
  if (changed.length === 0) return old;
  const compare = (a: StepTally, b: StepTally) => a.attempt - b.attempt || a.step - b.step;
  const next = [...old];
  for (const tally of changed) {
    let low = 0;
    let high = next.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = next[middle];
      if (at && compare(at, tally) < 0) low = middle + 1;
      else high = middle;
    }
    const at = next[low];
    if (at && compare(at, tally) === 0) next[low] = tally;
    else next.splice(low, 0, tally);
  }
  return next;
}
