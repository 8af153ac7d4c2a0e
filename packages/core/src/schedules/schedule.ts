import type { StageSpec } from "../runs/types.ts";
import { REWARD_PARTS, type RewardWeights } from "../wire/index.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * The same weights, summing to 1.
 *
 * @returns null when nothing is weighted, or a weight is negative or not finite.
 */
export function normalise(weights: RewardWeights): RewardWeights | null {
  const values = Object.values(weights);
  if (values.some((value) => !Number.isFinite(value) || value < 0)) return null;
  // Huge weights would add up to infinity, and each share of that is nothing.
  const unit = Number.isFinite(sum(values)) ? 1 : Math.max(...values);
  const total = sum(values.map((value) => value / unit));
  if (total <= 0) return null;
  const shares = Object.entries(weights).map(([part, weight]) => [part, weight / unit / total]);
  return Object.fromEntries(shares) as RewardWeights;
}

/** Names in a set of weights beside format, accuracy and consistency: rewards that a person wrote. */
export function ownRewards(weights: RewardWeights): string[] {
  return Object.keys(weights).filter((name) => !(REWARD_PARTS as readonly string[]).includes(name));
}

/** Weights as people write them, format : accuracy : consistency and what else there is: "7:3:0", "1:7:2 brevity 1". */
export function formatRatio(weights: RewardWeights): string {
  const ratio = REWARD_PARTS.map((part) => String(weights[part])).join(":");
  return [ratio, ...ownRewards(weights).map((name) => `${name} ${weights[name]}`)].join(" ");
}

/** Reads "7:3:0"; null when it is not three numbers of 0 or more with at least one above 0. */
export function parseRatio(text: string): RewardWeights | null {
  const parts = text.split(":").map((part) => part.trim());
  if (parts.length !== 3 || parts.some((part) => !/^\d+(\.\d+)?$/.test(part))) return null;
  const [format = 0, accuracy = 0, consistency = 0] = parts.map(Number);
  const weights = { format, accuracy, consistency };
  return normalise(weights) === null ? null : weights;
}

/** A stage that is in force at some moment. */
export type StageInForce = { index: number; stage: StageSpec; normalised: RewardWeights };

/**
 * The stage in force at an epoch. Before the first stage the first holds, after the last the last: a run whose last
 * step falls on the border of the schedule still has weights.
 *
 * @param epoch  Position as the trainer counts it, a float; stage borders belong to the later stage.
 * @returns null when there are no stages, or the one in force weighs nothing.
 */
export function stageAt(stages: readonly StageSpec[], epoch: number): StageInForce | null {
  if (stages.length === 0) return null;
  let index = 0;
  stages.forEach((stage, at) => {
    if (epoch >= stage.from_epoch) index = at;
  });
  const stage = stages[index];
  const normalised = stage ? normalise(stage.weights) : null;
  return stage && normalised ? { index, stage, normalised } : null;
}

/** The weights in force at an epoch, summing to 1; null as in `stageAt`. */
export function weightsAt(stages: readonly StageSpec[], epoch: number): RewardWeights | null {
  return stageAt(stages, epoch)?.normalised ?? null;
}

/**
 * The weights in force when optimiser step `step` (1-based) is taken.
 *
 * A trainer reports an epoch after the step; the weights were chosen before it, so step s of S per epoch uses epoch (s − 1) / S.
 */
export function weightsAtStep(
  stages: readonly StageSpec[],
  step: number,
  steps_per_epoch: number,
): RewardWeights | null {
  if (!isByStep(stages)) return weightsAt(stages, (step - 1) / steps_per_epoch);
  const index = stageSteps(stages, steps_per_epoch).findIndex((range) => step < range.to_step);
  const stage = stages[index < 0 ? stages.length - 1 : index];
  return stage ? normalise(stage.weights) : null;
}

/** True when the stages are bound to steps and not to epochs. */
export function isByStep(stages: readonly StageSpec[]): boolean {
  return stages.some((stage) => stage.steps !== undefined);
}

/** Half-open ranges of 1-based steps, one a stage, for a number of steps per epoch. */
export function stageSteps(
  stages: readonly StageSpec[],
  steps_per_epoch: number,
): { from_step: number; to_step: number }[] {
  if (isByStep(stages)) {
    let next = 1;
    return stages.map(({ steps = 0 }) => {
      const from_step = next;
      next += steps;
      return { from_step, to_step: next };
    });
  }
  return stages.map((stage) => ({
    from_step: Math.ceil(stage.from_epoch * steps_per_epoch - 1e-9) + 1,
    to_step: Math.ceil(stage.to_epoch * steps_per_epoch - 1e-9) + 1,
  }));
}

/** Where the last stage ends, in epochs. */
export function totalEpochs(stages: readonly StageSpec[]): number {
  return stages.reduce((end, stage) => Math.max(end, stage.to_epoch), 0);
}

/** The same schedule stretched or squeezed to end at `epochs`; every stage keeps its share. */
export function fitToEpochs(stages: readonly StageSpec[], epochs: number): StageSpec[] {
  const scale = epochs / totalEpochs(stages);
  return stages.map((stage) => ({
    ...stage,
    from_epoch: stage.from_epoch * scale,
    to_epoch: stage.to_epoch * scale,
  }));
}

/** What a stage may have of its own, and what it must be above; null values stay with the run's settings. */
const OVERRIDES = [
  ["learning_rate", 0],
  ["beta", -1],
  ["temperature", 0],
] as const;

/**
 * What is wrong with a schedule, one sentence a fault, in the order of the stages.
 *
 * @returns An empty list when a run can start with it.
 */
export function validateStages(stages: readonly StageSpec[]): string[] {
  if (stages.length === 0) return ["The schedule has no stage; add one."];
  const faults: string[] = [];
  const names = new Set<string>();
  let expected = 0;
  stages.forEach((stage, index) => {
    const label = `Stage ${index + 1}${stage.name.trim() === "" ? "" : ` (${stage.name})`}`;
    if (stage.name.trim() === "") faults.push(`${label} has no name.`);
    else if (names.has(stage.name)) faults.push(`${label} has the name of an earlier stage.`);
    names.add(stage.name);
    const values = Object.values(stage.weights);
    if (values.some((value) => !Number.isFinite(value)))
      faults.push(`${label} has a weight that is not a number.`);
    else if (values.some((value) => value < 0)) faults.push(`${label} has a negative weight.`);
    else if (normalise(stage.weights) === null)
      faults.push(`${label} weighs nothing: give format, accuracy or consistency a weight above 0.`);
    for (const [field, lowest] of OVERRIDES) {
      const value = stage[field];
      if (value !== undefined && !(Number.isFinite(value) && value >= 0 && value > lowest))
        faults.push(
          `${label} has a ${field} of ${value}, which is no ${lowest < 0 ? "number of 0 or more" : "number above 0"}.`,
        );
    }
    if (isByStep(stages)) {
      if (!Number.isInteger(stage.steps) || (stage.steps ?? 0) < 1)
        faults.push(`${label} has no whole number of steps; give all stages steps, or none.`);
      return;
    }
    if (!Number.isFinite(stage.from_epoch) || !Number.isFinite(stage.to_epoch)) {
      faults.push(`${label} begins or ends at an epoch that is not a number.`);
      return;
    }
    if (stage.to_epoch <= stage.from_epoch)
      faults.push(`${label} ends at epoch ${stage.to_epoch}, not after it begins (${stage.from_epoch}).`);
    if (index === 0 && stage.from_epoch !== 0)
      faults.push(`${label} begins at epoch ${stage.from_epoch}; the first stage begins at 0.`);
    if (index > 0 && stage.from_epoch > expected)
      faults.push(`Epochs ${expected} to ${stage.from_epoch} before ${label} have no weights.`);
    if (index > 0 && stage.from_epoch < expected)
      faults.push(
        `${label} begins at epoch ${stage.from_epoch}, before the stage before it ends (${expected}).`,
      );
    expected = stage.to_epoch;
  });
  return faults;
}
