import { isKnown, type RunRow, type StepTally } from "../runs/index.ts";
import { readNumber } from "../wire/index.ts";
import type { AlertKind } from "./types.ts";

/** What a stored line, or the tally of a step, says to rules; values that it does not have are null. */
export type AlertPoint = RowPoint | TallyPoint;

/** `id`: of the row. `alive`: it says nothing but that the run goes on. */
export type RowPoint = { id: number; attempt: number; time_secs: number } & (
  | { kind: "start"; resume_step: number }
  | { kind: "end" }
  | { kind: "alive" }
  | {
      kind: "step";
      step: number;
      /** "loss = NaN", for each value that is not finite. */
      non_finite: readonly string[];
      format: number | null;
      accuracy: number | null;
      length: number | null;
    }
);

/** What all completions of a step come to. */
export type TallyPoint = {
  kind: "tally";
  attempt: number;
  step: number;
  /** When the step was taken; where that is not known, of the newest row before. */
  time_secs: number;
  groups: number;
  tied: number;
  /** Times that the judge was asked, and failed to answer. */
  asked: number;
  failed: number;
};

const JUDGE_FAILED = ["timeout", "http_error", "unparsed"] as const;

/** Reads a row as rules see it; null where it says nothing to them. */
export function readRowPoint({ id, line }: RunRow): RowPoint | null {
  const about = { id, attempt: line.attempt, time_secs: line.time_secs };
  // The machine reports of itself whatever the trainer does.
  if (isKnown(line, "system")) return null;
  if (isKnown(line, "attempt.start"))
    return { ...about, kind: "start", resume_step: line.resume_from?.step ?? 0 };
  if (isKnown(line, "attempt.end")) return { ...about, kind: "end" };
  if (isKnown(line, "metrics") && line.split === "train") {
    const { step, values } = line;
    // A null is a measure that there was not; only a number that is none is a fault.
    const non_finite = Object.entries(values)
      .filter(([, value]) => value !== null && !Number.isFinite(readNumber(value) ?? 0))
      .map(([name, value]) => `${name} = ${value}`);
    return {
      ...about,
      kind: "step",
      step,
      non_finite,
      format: readFinite(values["rewards/format/mean"]),
      accuracy: readFinite(values["rewards/accuracy/mean"]),
      length: readFinite(values["completions/mean_length"]),
    };
  }
  return { ...about, kind: "alive" };
}

/** What was read so far of the times of steps, by attempt. */
export type StepTimes = ReadonlyMap<number, ReadonlyMap<number, number>>;

/**
 * The tallies that no completion can change any more: each for which a later step of its attempt was begun. The last
 * one of an attempt is left out, so that what is said of a run does not hang on the moment at which one looks.
 *
 * @param tallies  By attempt, then rising step.
 * @param times  When each step was taken, by attempt and step.
 */
export function readTallyPoints(tallies: readonly StepTally[], times: StepTimes): TallyPoint[] {
  let newest = 0;
  return tallies.flatMap((tally, k) => {
    const { attempt, step, groups, tied_groups: tied, judges } = tally;
    newest = times.get(attempt)?.get(step) ?? newest;
    if (tallies[k + 1]?.attempt !== attempt) return [];
    const failed = JUDGE_FAILED.reduce((sum, status) => sum + (judges[status] ?? 0), 0);
    const asked = failed + (judges.ok ?? 0);
    return [{ kind: "tally", attempt, step, time_secs: newest, groups, tied, asked, failed }];
  });
}

/** When each step was taken, by attempt. */
export function readStepTimes(points: readonly RowPoint[]): Map<number, Map<number, number>> {
  const times = new Map<number, Map<number, number>>();
  for (const point of points) {
    if (point.kind !== "step") continue;
    const of = times.get(point.attempt) ?? new Map<number, number>();
    of.set(point.step, point.time_secs);
    times.set(point.attempt, of);
  }
  return times;
}

/** All that a run has written, as the rules of one kind see it. */
export function selectPoints(
  kind: AlertKind,
  run: { rows: readonly RowPoint[]; tallies: readonly TallyPoint[] },
): readonly AlertPoint[] {
  return readsTallies(kind) ? run.tallies : run.rows;
}

/** True for rules that look at tallies; the others look at rows. */
export function readsTallies(kind: AlertKind): boolean {
  return kind === "no_signal" || kind === "judge_failing";
}

function readFinite(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && Number.isFinite(number) ? number : null;
}
