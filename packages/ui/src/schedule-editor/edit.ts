import type { StageSpec } from "@sightline/core/runs";
import type { REWARD_PARTS, RewardWeights } from "@sightline/core/wire";

type Part = (typeof REWARD_PARTS)[number];

/** Stages end and begin on multiples of this many epochs, and are at least as long. */
export const EPOCH_GRID = 0.25;

/** Puts an epoch on the grid. */
export function snapEpoch(epoch: number, grid = EPOCH_GRID): number {
  return Number((Math.round(epoch / grid) * grid).toFixed(6));
}

/**
 * Moves the border at which stage `index` ends. What follows keeps its length when it is the last border; inside, the
 * next stage gives or takes.
 */
export function moveBorder(stages: readonly StageSpec[], index: number, epoch: number): StageSpec[] {
  const stage = stages[index];
  if (!stage) return [...stages];
  const next = stages[index + 1];
  const lowest = stage.from_epoch + EPOCH_GRID;
  const highest = next ? next.to_epoch - EPOCH_GRID : Number.POSITIVE_INFINITY;
  const to = Math.min(highest, Math.max(lowest, snapEpoch(epoch)));
  return stages.map((one, k) => {
    if (k === index) return { ...one, to_epoch: to };
    return k === index + 1 ? { ...one, from_epoch: to } : one;
  });
}

/** Sets how long a stage is; those behind it move along. */
export function setLength(stages: readonly StageSpec[], index: number, epochs: number): StageSpec[] {
  const length = Math.max(EPOCH_GRID, snapEpoch(epochs));
  return layOut(
    stages,
    stages.map((stage, k) => (k === index ? length : stage.to_epoch - stage.from_epoch)),
  );
}

/** Moves a stage to another place in the order; every stage keeps its length. */
export function moveStage(stages: readonly StageSpec[], from: number, to: number): StageSpec[] {
  const order = [...stages];
  const [moved] = order.splice(from, 1);
  if (!moved || to < 0 || to > order.length) return [...stages];
  order.splice(to, 0, moved);
  return layOut(
    order,
    order.map((stage) => stage.to_epoch - stage.from_epoch),
  );
}

/** Cuts a stage in two halves of the same weights. */
export function splitStage(stages: readonly StageSpec[], index: number): StageSpec[] {
  const stage = stages[index];
  if (!stage || stage.to_epoch - stage.from_epoch < 2 * EPOCH_GRID) return [...stages];
  const middle = snapEpoch((stage.from_epoch + stage.to_epoch) / 2);
  return [
    ...stages.slice(0, index),
    { ...stage, to_epoch: middle },
    { ...stage, name: getFreeName(stages, stage.name), from_epoch: middle },
    ...stages.slice(index + 1),
  ];
}

/** Takes a stage out; those behind it move up. The last one stays. */
export function removeStage(stages: readonly StageSpec[], index: number): StageSpec[] {
  if (stages.length <= 1) return [...stages];
  const rest = stages.filter((_, k) => k !== index);
  return layOut(
    rest,
    rest.map((stage) => stage.to_epoch - stage.from_epoch),
  );
}

export function setWeight(
  stages: readonly StageSpec[],
  index: number,
  part: Part,
  weight: number,
): StageSpec[] {
  return stages.map((stage, k) =>
    k === index ? { ...stage, weights: { ...stage.weights, [part]: weight } } : stage,
  );
}

export function setName(stages: readonly StageSpec[], index: number, name: string): StageSpec[] {
  return stages.map((stage, k) => (k === index ? { ...stage, name } : stage));
}

/** True when two schedules say the same. */
export function isSameSchedule(a: readonly StageSpec[], b: readonly StageSpec[]): boolean {
  return JSON.stringify(a.map(pick)) === JSON.stringify(b.map(pick));
}

function pick({ name, weights, from_epoch, to_epoch }: StageSpec): [string, RewardWeights, number, number] {
  const { format, accuracy, consistency } = weights;
  return [name, { format, accuracy, consistency }, from_epoch, to_epoch];
}

function layOut(stages: readonly StageSpec[], lengths: readonly number[]): StageSpec[] {
  let at = 0;
  return stages.map((stage, k) => {
    const from_epoch = at;
    at = Number((at + (lengths[k] ?? 0)).toFixed(6));
    return { ...stage, from_epoch, to_epoch: at };
  });
}

function getFreeName(stages: readonly StageSpec[], name: string): string {
  const base = name.replace(/ \d+$/, "");
  for (let k = 2; ; k += 1) {
    const candidate = `${base} ${k}`;
    if (!stages.some((stage) => stage.name === candidate)) return candidate;
  }
}
