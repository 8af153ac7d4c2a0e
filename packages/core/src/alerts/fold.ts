import type { AlertPoint, RowPoint, TallyPoint } from "./points.ts";
import { type AlertCause, type AlertEpisode, readParam } from "./types.ts";

/**
 * The fold of a run's rows, or of its tallies, into the episodes of one rule. It is the same for a run that goes on and
 * for one of the past, so that a back-test says what would have happened. Points come in order: rows by their ids,
 * tallies by attempt and step. One that is not newer than the last changes nothing, so that they may be read again.
 */
export type AlertState = {
  last_id: number;
  last_tally: { attempt: number; step: number } | null;
  /** The measured steps that the rule looks back on, oldest first. */
  samples: readonly Sample[];
  /** The first ones of the run, for those that compare with its beginning. */
  first: readonly Sample[];
  open: AlertEpisode | null;
  /** The last step at which the cause of the open episode held, and how many measured steps since then it did not. */
  held_step: number;
  calm: number;
  /** The newest sign of life of an attempt that has begun to train; null otherwise. */
  alive: { id: number; attempt: number; step: number; time_secs: number } | null;
};

type Sample = { step: number; values: readonly number[]; words?: string };

export type AlertChange = { kind: "fired" | "ended"; episode: AlertEpisode };
export type AlertFold = { state: AlertState; changes: readonly AlertChange[] };

/** Steps without a non-finite value after which an episode is over. */
const CALM_STEPS = 10;
const NO_CHANGES: readonly AlertChange[] = [];

export const startAlert: AlertState = {
  last_id: 0,
  last_tally: null,
  samples: [],
  first: [],
  open: null,
  held_step: 0,
  calm: 0,
  alive: null,
};

/** Folds one point in. */
export function foldAlert(cause: AlertCause, state: AlertState, point: AlertPoint): AlertFold {
  if (point.kind === "tally") return foldTally(cause, state, point);
  if (point.id <= state.last_id) return still(state);
  const next = { ...state, last_id: point.id };
  if (point.kind === "start") return rollBack(end(next, point), point.resume_step);
  if (point.kind === "end") return end({ ...next, alive: null }, point);
  if (cause.kind === "stalled") return foldLife(cause, next, point);
  const sample = readSample(cause, point);
  if (sample === null) return still(next);
  const isBack = sample.step <= (state.samples.at(-1)?.step ?? 0);
  return judge(cause, isBack ? rollBack(end(next, point), sample.step - 1) : still(next), point, sample);
}

function foldTally(cause: AlertCause, state: AlertState, point: TallyPoint): AlertFold {
  const { attempt, step } = point;
  const last = state.last_tally;
  if (last !== null && (attempt < last.attempt || (attempt === last.attempt && step <= last.step)))
    return still(state);
  const next = { ...state, last_tally: { attempt, step } };
  const isNew = last !== null && attempt > last.attempt;
  const begun = isNew ? rollBack(end(next, point), step - 1) : still(next);
  const sample = readSample(cause, point);
  return sample === null ? begun : judge(cause, begun, point, sample);
}

/**
 * Says that an attempt has been silent up to now: a rule for stalled runs may fire.
 *
 * @param now_secs  By the clock of the run's host, UTC.
 */
export function foldSilence(cause: AlertCause, state: AlertState, now_secs: number): AlertFold {
  const { alive, open } = state;
  const after = readParam(cause, "after_secs");
  if (cause.kind !== "stalled" || alive === null || open !== null || now_secs - alive.time_secs < after)
    return still(state);
  const episode: AlertEpisode = {
    episode_id: `row ${alive.id}`,
    attempt: alive.attempt,
    from_step: alive.step,
    fired_secs: alive.time_secs + after,
    words: `Nothing was written for ${formatSecs(after)} after step ${alive.step}.`,
    until_step: null,
    ended_secs: null,
  };
  return { state: { ...state, open: episode, held_step: alive.step }, changes: [{ kind: "fired", episode }] };
}

/** Says that the process of the newest attempt is gone: what went on is over. */
export function foldEnd(state: AlertState, time_secs: number): AlertFold {
  return end({ ...state, alive: null }, { time_secs });
}

/**
 * All episodes of a rule in a run, in order.
 *
 * @param points  In the order of their ids.
 * @param ended  When the process of each attempt was seen to be gone, by its number; those that still go on, or of
 *   which that is not known by the clock of their host, are left out.
 */
export function backTest(
  cause: AlertCause,
  points: readonly AlertPoint[],
  ended: ReadonlyMap<number, number> = new Map(),
): AlertEpisode[] {
  const episodes = new Map<string, AlertEpisode>();
  let state = startAlert;
  const take = (fold: AlertFold) => {
    state = fold.state;
    for (const { episode } of fold.changes) episodes.set(episode.episode_id, episode);
  };
  const finish = (attempt: number | undefined) => {
    const secs = attempt === undefined ? undefined : ended.get(attempt);
    if (secs === undefined) return;
    take(foldSilence(cause, state, secs));
    take(foldEnd(state, secs));
  };
  let attempt: number | undefined;
  for (const point of points) {
    if (attempt !== point.attempt) finish(attempt);
    attempt = point.attempt;
    take(foldAlert(cause, state, point));
  }
  finish(attempt);
  return [...episodes.values()];
}

/** What a rule measures of one point; null where the point has nothing of it. */
function readSample({ kind }: AlertCause, point: AlertPoint): Sample | null {
  if (point.kind === "tally") {
    const { step, groups, tied, asked, failed } = point;
    if (kind === "no_signal") return groups > 0 ? { step, values: [tied, groups] } : null;
    return asked > 0 ? { step, values: [failed, asked] } : null;
  }
  if (point.kind !== "step") return null;
  const { step, non_finite, format, accuracy, length } = point;
  if (kind === "non_finite") return { step, values: [non_finite.length], words: `${non_finite.join(", ")}.` };
  if (kind === "length_drift") return length === null ? null : { step, values: [length] };
  return format === null || accuracy === null ? null : { step, values: [format, accuracy] };
}

/** How many samples a rule looks back on. */
function windowOf(cause: AlertCause): number {
  return readParam(cause, cause.kind === "non_finite" ? "steps" : "window");
}

function remember(cause: AlertCause, state: AlertState, sample: Sample): AlertState {
  const size = windowOf(cause);
  const first = state.first.length < size ? [...state.first, sample] : state.first;
  return { ...state, first, samples: [...state.samples, sample].slice(-size) };
}

/** What holds now, in a sentence; null when nothing does, or too few steps were measured to say. */
function findCause(cause: AlertCause, { samples, first }: AlertState): string | null {
  const size = windowOf(cause);
  if (samples.length < size) return null;
  const column = (at: number, of = samples) => of.map(({ values }) => values[at] ?? 0);
  switch (cause.kind) {
    case "non_finite":
      return samples.every(({ values }) => (values[0] ?? 0) > 0) ? (samples.at(-1)?.words ?? "") : null;
    case "no_signal": {
      const zero = sum(column(0)) / sum(column(1));
      if (zero < readParam(cause, "at_least")) return null;
      return `${formatShare(zero)} of the groups had equal rewards over ${size} steps.`;
    }
    case "judge_failing": {
      const failed = sum(column(0)) / sum(column(1));
      if (failed < readParam(cause, "at_least")) return null;
      return `${formatShare(failed)} of ${sum(column(1))} calls to the judge failed.`;
    }
    case "length_drift": {
      const before = mean(column(0, first));
      const now = mean(column(0));
      const ratio = now / before;
      const factor = readParam(cause, "factor");
      if (!Number.isFinite(ratio) || (ratio < factor && ratio > 1 / factor)) return null;
      return `Completions have ${Math.round(now)} tokens, and had ${Math.round(before)} over the first ${size} steps.`;
    }
    case "saturated": {
      const format = mean(column(0));
      const accuracy = column(1);
      const half = Math.max(1, Math.floor(size / 2));
      const gain = mean(accuracy.slice(-half)) - mean(accuracy.slice(0, half));
      if (
        format < readParam(cause, "format_at_least") ||
        mean(accuracy) >= readParam(cause, "accuracy_below") ||
        gain >= readParam(cause, "gain_below")
      )
        return null;
      return `Format is ${format.toFixed(2)} and accuracy ${mean(accuracy).toFixed(2)}, with a gain of ${gain.toFixed(3)} over ${size} steps.`;
    }
    case "stalled":
      return null;
  }
}

function judge(
  cause: AlertCause,
  { state: before, changes }: AlertFold,
  point: AlertPoint,
  sample: Sample,
): AlertFold {
  const judged = judgeSample(cause, remember(cause, before, sample), point, sample);
  return { state: judged.state, changes: [...changes, ...judged.changes] };
}

function judgeSample(cause: AlertCause, state: AlertState, point: AlertPoint, sample: Sample): AlertFold {
  const words = findCause(state.open === null ? cause : loosen(cause), state);
  if (words !== null) {
    const held = { ...state, calm: 0, held_step: sample.step };
    if (state.open !== null) return still(held);
    const { attempt, time_secs: fired_secs } = point;
    const episode: AlertEpisode = {
      episode_id: point.kind === "tally" ? `attempt ${attempt} step ${point.step}` : `row ${point.id}`,
      attempt,
      from_step: sample.step,
      fired_secs,
      words,
      until_step: null,
      ended_secs: null,
    };
    return { state: { ...held, open: episode }, changes: [{ kind: "fired", episode }] };
  }
  if (state.open === null) return still(state);
  const enough = cause.kind === "non_finite" ? CALM_STEPS : Math.ceil(windowOf(cause) / 2);
  const calm = state.calm + 1;
  return calm < enough ? still({ ...state, calm }) : end(state, point);
}

/** A cause that is in force must fall clearly behind its borders: a mean that hovers about one would fire again and again. */
function loosen({ kind, params }: AlertCause): AlertCause {
  const at = (name: string) => readParam({ kind, params }, name);
  const change: Partial<Record<AlertCause["kind"], () => Record<string, number>>> = {
    no_signal: () => ({ at_least: at("at_least") * 0.9 }),
    judge_failing: () => ({ at_least: at("at_least") * 0.9 }),
    length_drift: () => ({ factor: 1 + (at("factor") - 1) * 0.9 }),
    saturated: () => ({
      format_at_least: at("format_at_least") * 0.98,
      accuracy_below: at("accuracy_below") * 1.02,
      gain_below: at("gain_below") * 1.5 + 0.01,
    }),
  };
  return { kind, params: { ...params, ...change[kind]?.() } };
}

function foldLife(cause: AlertCause, state: AlertState, point: RowPoint): AlertFold {
  const { id, attempt, time_secs } = point;
  const step = point.kind === "step" ? point.step : (state.alive?.step ?? 0);
  const isSame = state.alive !== null && state.alive.attempt === attempt;
  if (!isSame && point.kind !== "step") return still({ ...state, alive: null });
  const silent = isSame ? foldSilence(cause, state, time_secs) : still(state);
  const over = end(silent.state, point);
  return {
    state: { ...over.state, alive: { id, attempt, step, time_secs } },
    changes: [...silent.changes, ...over.changes],
  };
}

const still = (state: AlertState): AlertFold => ({ state, changes: NO_CHANGES });

function end(state: AlertState, { time_secs }: { time_secs: number }): AlertFold {
  if (state.open === null) return still(state);
  const episode = { ...state.open, until_step: state.held_step, ended_secs: time_secs };
  return { state: { ...state, open: null, calm: 0 }, changes: [{ kind: "ended", episode }] };
}

/** Forgets what was measured behind a step; another attempt, or the same one again, goes on from there. */
function rollBack({ state, changes }: AlertFold, last_step: number): AlertFold {
  const keep = (samples: readonly Sample[]) => samples.filter(({ step }) => step <= last_step);
  return {
    state: { ...state, samples: keep(state.samples), first: keep(state.first), alive: null },
    changes,
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const formatShare = (share: number) => `${Math.round(share * 100)} %`;

function formatSecs(secs: number): string {
  return secs >= 120 ? `${Number((secs / 60).toFixed(1))} minutes` : `${Number(secs.toFixed(1))} seconds`;
}
