/** Added to a group's deviation before dividing, as TRL does. */
export const ADVANTAGE_EPS = 1e-4;

/** How the advantages of one group came about. */
export type GroupAdvantages = {
  mean: number;
  /** Sample standard deviation (n − 1) of the rewards; 0 for a group of one. */
  std: number;
  /** In the order of the rewards. */
  advantages: number[];
};

/**
 * Each reward relative to its prompt's group: (r − mean) / (std + 1e-4), with the sample standard deviation, as TRL's
 * `scale_rewards: group` does.
 *
 * @param rewards  Of one group, in any order; not empty.
 * @returns Zeros for a group of one and, up to rounding, for one of equal rewards.
 */
export function groupAdvantages(rewards: readonly number[]): GroupAdvantages {
  const n = rewards.length;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / n;
  const std = n < 2 ? 0 : Math.sqrt(rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (n - 1));
  return { mean, std, advantages: rewards.map((reward) => (reward - mean) / (std + ADVANTAGE_EPS)) };
}

/** Half a unit in the last place of a float32 near 1, for the reward and for the mean that is taken off it. */
const ROUNDING = 2 * 2 ** -24;

/**
 * How far an advantage that a trainer computed in float32 may lie from ours: its rounding of reward and mean, divided
 * as the advantage is. In a group of equal rewards that is up to 1e-3, where ours is 0.
 *
 * @param std  Of the group, from `groupAdvantages`.
 */
export function advantageTolerance(std: number): number {
  return (2 * ROUNDING) / (std + ADVANTAGE_EPS) + 1e-6;
}
