import { type LineOf, toNumber } from "../wire/index.ts";
import { ADVANTAGE_EPS, advantageTolerance, groupAdvantages } from "./advantage.ts";

/**
 * How one group's rewards became advantages, worked out again from the parts and their weights.
 *
 * The reward is the sum of raw part × weight; a part that was not scored counts nothing. The advantage is the reward less
 * the group's mean, over the standard deviation plus `ADVANTAGE_EPS`. Completions without any scored part are left
 * out of mean and deviation, and get no advantage.
 *
 * @see TRL, GRPOTrainer, `sum_then_normalize`
 */

/** Whose deviation the advantage is divided by: the group's, that of all completions of the step, or none. */
export type RewardScale = "group" | "batch" | "none";

export type PartShare = {
  part: string;
  /** In [0, 1]; null when it was not scored. */
  raw: number | null;
  weight: number;
  /** raw × weight. */
  share: number;
  /** What the part brought to the advantage: its share less the group's mean share, over the same deviation. */
  pull: number;
};

/** A number as it was written, as it comes out again, and whether they agree within the rounding of 32-bit floats. */
export type Checked = { emitted: number; computed: number; agrees: boolean };

export type CompletionAccount = { k: number; parts: PartShare[]; reward: Checked; advantage: Checked };

export type GroupAccount = {
  /** Completions that count: with at least one scored part. */
  n: number;
  /** Of the rewards worked out again; null when none counts. */
  mean: number | null;
  /** With N − 1, of those rewards; null for fewer than two. */
  sd: number | null;
  scale: RewardScale;
  /** What the distance from the mean is divided by; 1 where nothing scales. */
  divisor: number;
  /** All rewards are equal, so every advantage is 0: nothing is learned from the group. */
  is_tied: boolean;
  completions: CompletionAccount[];
  /** One or more numbers differ from those that were written. */
  differs: boolean;
};

/** How a run scales, from its spec's settings by TRL's own name; TRL's default where they don't say. */
export function readRewardScale(settings: Readonly<Record<string, unknown>>): RewardScale {
  const said = settings.scale_rewards;
  if (said === "batch") return "batch";
  return said === "none" || said === false ? "none" : "group";
}

type Scored = Pick<LineOf<"completion">, "k" | "rewards" | "reward" | "advantage">;

/**
 * @param completions  Of one group.
 * @param batch  All completions of the step and attempt; needed where the scale is "batch".
 */
export function accountForGroup(
  completions: readonly Scored[],
  scale: RewardScale,
  batch: readonly Scored[] = completions,
): GroupAccount {
  const rewards = completions.map(sumShares);
  const counted = rewards.filter((reward) => reward !== null);
  const { mean, sd } = getSpread(counted);
  const spread = scale === "batch" ? getSpread(batch.map(sumShares).filter((one) => one !== null)).sd : sd;
  const divisor = scale === "none" ? 1 : (spread ?? 0) + ADVANTAGE_EPS;
  const parts = [...new Set(completions.flatMap(({ rewards }) => Object.keys(rewards)))];
  const meanShare = new Map(
    parts.map((part) => [
      part,
      getMean(
        completions.filter((_, at) => rewards[at] !== null).map((one) => getShare(one.rewards[part])),
      ) ?? 0,
    ]),
  );
  const accounts = completions.map((one, at): CompletionAccount => {
    const reward = rewards[at] ?? null;
    const advantage = reward === null || mean === null ? 0 : (reward - mean) / divisor;
    return {
      k: one.k,
      parts: parts.flatMap((part) => {
        const value = one.rewards[part];
        if (value === undefined) return [];
        const share = getShare(value);
        return {
          part,
          raw: value.raw === null ? null : toNumber(value.raw),
          weight: value.weight,
          share,
          pull: (share - (meanShare.get(part) ?? 0)) / divisor,
        };
      }),
      reward: check(toNumber(one.reward), reward ?? 0, 1e-6),
      advantage: check(
        toNumber(one.advantage),
        advantage,
        advantageTolerance(divisor - ADVANTAGE_EPS) + 1e-5 * Math.abs(advantage),
      ),
    };
  });
  return {
    n: counted.length,
    mean,
    sd,
    scale,
    divisor,
    is_tied: counted.length > 1 && sd !== null && sd < 1e-9,
    completions: accounts,
    differs: accounts.some(({ reward, advantage }) => !reward.agrees || !advantage.agrees),
  };
}

function getShare(value: Scored["rewards"][string] | undefined): number {
  return value === undefined || value.raw === null ? 0 : toNumber(value.raw) * value.weight;
}

/** Null when no part was scored. */
function sumShares({ rewards }: Scored): number | null {
  const values = Object.values(rewards);
  if (values.every(({ raw }) => raw === null)) return null;
  return values.reduce((sum, value) => sum + getShare(value), 0);
}

function getMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function getSpread(rewards: readonly number[]): { mean: number | null; sd: number | null } {
  if (rewards.length === 0) return { mean: null, sd: null };
  const { mean, std } = groupAdvantages(rewards);
  return { mean, sd: rewards.length < 2 ? null : std };
}

function check(emitted: number, computed: number, tolerance: number): Checked {
  const agrees = Object.is(emitted, computed) || Math.abs(emitted - computed) <= tolerance;
  return { emitted, computed, agrees };
}
