import type { StageSpec } from "@sightline/core/runs";
import { isByStep, STAGE_SETTINGS } from "@sightline/core/schedules";

type StageSetting = (typeof STAGE_SETTINGS)[number]["name"];

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
  part: string,
  weight: number,
): StageSpec[] {
  return stages.map((stage, k) =>
    k === index ? { ...stage, weights: { ...stage.weights, [part]: weight } } : stage,
  );
}

/** Gives a stage a learning rate, β or temperature of its own; null: the run's holds. */
export function setStageSetting(
  stages: readonly StageSpec[],
  index: number,
  name: StageSetting,
  value: number | null,
): StageSpec[] {
  return stages.map((stage, k) => {
    if (k !== index) return stage;
    const { [name]: _, ...rest } = stage;
    return value === null ? rest : { ...rest, [name]: value };
  });
}

/** Binds all stages to optimiser steps, or to epochs again; each lasts as long as before, to the nearest step. */
export function bindToSteps(
  stages: readonly StageSpec[],
  isBound: boolean,
  steps_per_epoch: number,
): StageSpec[] {
  if (isBound)
    return stages.map((stage) => ({
      ...stage,
      steps: Math.max(1, Math.round((stage.to_epoch - stage.from_epoch) * steps_per_epoch)),
    }));
  return layOut(
    stages.map(({ steps: _, ...stage }) => stage),
    stages.map((stage) => Math.max(EPOCH_GRID, snapEpoch(lengthOf(stage, steps_per_epoch)))),
  );
}

/** Sets how many steps a stage lasts that is bound to them; those behind it move along. */
export function setSteps(
  stages: readonly StageSpec[],
  index: number,
  steps: number,
  steps_per_epoch: number,
): StageSpec[] {
  const changed = stages.map((stage, k) =>
    k === index ? { ...stage, steps: Math.max(1, Math.round(steps)) } : stage,
  );
  return placeSteps(changed, steps_per_epoch);
}

/** Puts stages that are bound to steps where these lie in epochs; others stay as they are. */
export function placeSteps(stages: readonly StageSpec[], steps_per_epoch: number): StageSpec[] {
  if (!isByStep(stages)) return [...stages];
  return layOut(
    stages,
    stages.map((stage) => lengthOf(stage, steps_per_epoch)),
  );
}

/** After a change on the timeline: stages that are bound to steps last as many as their new length holds. */
export function keepSteps(
  before: readonly StageSpec[],
  after: readonly StageSpec[],
  steps_per_epoch: number | null,
): StageSpec[] {
  if (steps_per_epoch === null || !isByStep(before)) return [...after];
  return after.map((stage) => {
    const length = stage.to_epoch - stage.from_epoch;
    if (Math.abs(length - lengthOf(stage, steps_per_epoch)) < 1e-5) return stage;
    return { ...stage, steps: Math.max(1, Math.round(length * steps_per_epoch)) };
  });
}

function lengthOf({ steps, from_epoch, to_epoch }: StageSpec, steps_per_epoch: number): number {
  return steps === undefined ? to_epoch - from_epoch : steps / steps_per_epoch;
}

export function setName(stages: readonly StageSpec[], index: number, name: string): StageSpec[] {
  return stages.map((stage, k) => (k === index ? { ...stage, name } : stage));
}

/** True when two schedules say the same. */
export function isSameSchedule(a: readonly StageSpec[], b: readonly StageSpec[]): boolean {
  return JSON.stringify(a.map(pick)) === JSON.stringify(b.map(pick));
}

function pick({ name, weights, from_epoch, to_epoch, steps, ...own }: StageSpec): unknown[] {
  const settings = STAGE_SETTINGS.map((setting) => own[setting.name]);
  return [name, Object.entries(weights).sort(), from_epoch, to_epoch, steps, settings];
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
