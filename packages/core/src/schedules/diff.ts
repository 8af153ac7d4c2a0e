import type { StageSpec } from "../runs/types.ts";
import { formatRatio, isByStep, normalise, stageSteps, totalEpochs } from "./schedule.ts";

/** One thing in which two schedules differ, as a person reads it. A side that has nothing there says "–". */
export type ScheduleDifference = { stage: string; what: string; mine: string; theirs: string };

/** Settings that a stage may have of its own. */
export const STAGE_SETTINGS = [
  { name: "learning_rate", label: "Learning rate" },
  { name: "beta", label: "KL weight β" },
  { name: "temperature", label: "Temperature" },
] as const;

/**
 * In what two schedules differ, stage by stage.
 *
 * Stages of one name belong together; of the others, the first belongs to the first. Weights are compared by their
 * ratio: 7:3:0 and 0.7:0.3:0 are the same.
 */
export function diffSchedules(
  mine: readonly StageSpec[],
  theirs: readonly StageSpec[],
): ScheduleDifference[] {
  const differences: ScheduleDifference[] = [];
  for (const [a, b] of pairStages(mine, theirs)) {
    const stage = a?.name || b?.name || "a stage without a name";
    if (!a || !b) {
      const known = (a ?? b) as StageSpec;
      const words = `${formatRatio(known.weights)}, ${describeLength(known)}`;
      differences.push({ stage, what: "Stage", mine: a ? words : "–", theirs: b ? words : "–" });
      continue;
    }
    const say = (what: string, left: string, right: string) => {
      if (left !== right) differences.push({ stage, what, mine: left, theirs: right });
    };
    say("Name", a.name, b.name);
    if (!isSameRatio(a, b)) say("Weights", formatRatio(a.weights), formatRatio(b.weights));
    say("Begins", describeBegin(a, mine), describeBegin(b, theirs));
    say("Lasts", describeLength(a), describeLength(b));
    for (const { name, label } of STAGE_SETTINGS)
      say(label, String(a[name] ?? "the run's"), String(b[name] ?? "the run's"));
  }
  return differences;
}

/** Stages of two schedules that belong together, in the order of the first; those that have none come where they stand. */
function pairStages(
  mine: readonly StageSpec[],
  theirs: readonly StageSpec[],
): [StageSpec | null, StageSpec | null][] {
  const named = (stage: StageSpec, others: readonly StageSpec[]) =>
    others.find(({ name }) => name === stage.name);
  const left = theirs.filter((stage) => !named(stage, mine));
  const pairs = mine.map((stage): [StageSpec | null, StageSpec | null] => [
    stage,
    named(stage, theirs) ?? left.shift() ?? null,
  ]);
  return [...pairs, ...left.map((stage): [null, StageSpec] => [null, stage])];
}

function isSameRatio(a: StageSpec, b: StageSpec): boolean {
  const [left, right] = [normalise(a.weights), normalise(b.weights)];
  if (left === null || right === null) return JSON.stringify(a.weights) === JSON.stringify(b.weights);
  return Object.keys({ ...left, ...right }).every(
    (part) =>
      Math.abs((left[part as keyof typeof left] ?? 0) - (right[part as keyof typeof right] ?? 0)) < 1e-9,
  );
}

const tidy = (value: number) => Number(value.toFixed(4));
const countOf = (n: number, one: string) => `${n} ${n === 1 ? one : `${one}s`}`;

function describeLength({ steps, from_epoch, to_epoch }: StageSpec): string {
  return steps === undefined ? countOf(tidy(to_epoch - from_epoch), "epoch") : countOf(steps, "step");
}

function describeBegin(stage: StageSpec, stages: readonly StageSpec[]): string {
  if (!isByStep(stages)) return `at epoch ${tidy(stage.from_epoch)}`;
  return `at step ${stageSteps(stages, 1)[stages.indexOf(stage)]?.from_step ?? 1}`;
}

/**
 * Stretches of epochs over which two schedules weigh differently, or only one of them goes on, in order.
 */
export function differingStretches(
  mine: readonly StageSpec[],
  theirs: readonly StageSpec[],
): { from_epoch: number; to_epoch: number }[] {
  const borders = [
    ...new Set([...mine, ...theirs].flatMap(({ from_epoch, to_epoch }) => [from_epoch, to_epoch])),
  ]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (stages: readonly StageSpec[], epoch: number) =>
    epoch >= totalEpochs(stages)
      ? undefined
      : stages.find(({ from_epoch, to_epoch }) => epoch >= from_epoch && epoch < to_epoch);
  const stretches: { from_epoch: number; to_epoch: number }[] = [];
  borders.slice(0, -1).forEach((from_epoch, k) => {
    const to_epoch = borders[k + 1] ?? from_epoch;
    const [a, b] = [at(mine, from_epoch), at(theirs, from_epoch)];
    if (a && b ? isSameRatio(a, b) : a === b) return;
    const last = stretches.at(-1);
    if (last && last.to_epoch === from_epoch) last.to_epoch = to_epoch;
    else stretches.push({ from_epoch, to_epoch });
  });
  return stretches;
}
