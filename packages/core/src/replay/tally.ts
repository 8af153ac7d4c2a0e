import type { LineOf } from "../wire/index.ts";
import type { ReplayedGroup } from "./score.ts";
import {
  FLIPS,
  type Flip,
  type Pair,
  type ReplayMismatch,
  type ReplayStep,
  type ReplaySummary,
} from "./types.ts";

/** More steps than this are put together two by two. */
const MOST_STEPS = 2048;
const MOST_MISMATCHES = 50;
/** Rewards nearer than this are the same: float32 has no more digits. */
const SAME_REWARD = 1e-6;

const PARTS = ["format", "accuracy", "consistency"] as const;
const SIDES = ["before", "after"] as const;

class Mean {
  n = 0;
  sum = 0;

  add(value: number): void {
    this.n += 1;
    this.sum += value;
  }
  take(other: Mean): void {
    this.n += other.n;
    this.sum += other.sum;
  }
  get value(): number | null {
    return this.n === 0 ? null : this.sum / this.n;
  }
}

class Means {
  before = new Mean();
  after = new Mean();

  /** Nothing is added where a side is missing: both means are of the same completions. */
  add(before: number | null, after: number | null): void {
    if (before === null || after === null) return;
    this.before.add(before);
    this.after.add(after);
  }
  take(other: Means): void {
    for (const side of SIDES) this[side].take(other[side]);
  }
  get pair(): Pair {
    return { before: this.before.value, after: this.after.value };
  }
}

/** What a step, or all of them, adds up to. */
class Sums {
  n = 0;
  groups = 0;
  unknown = 0;
  tied = { before: 0, after: 0 };
  reward = new Means();
  advantage = new Means();
  format = new Means();
  accuracy = new Means();
  consistency = new Means();

  add({ completions }: ReplayedGroup): void {
    this.groups += 1;
    this.n += completions.length;
    for (const part of PARTS)
      for (const { before, after } of completions) this[part].add(before[part], after[part]);
    if (completions.some(({ after }) => after.reward === null)) {
      this.unknown += 1;
      return;
    }
    for (const { before, after } of completions) {
      this.reward.add(before.reward, after.reward);
      this.advantage.add(distance(before.advantage), distance(after.advantage));
    }
    for (const side of SIDES) if (isTied(completions.map((one) => one[side].reward))) this.tied[side] += 1;
  }
  take(other: Sums): void {
    for (const count of ["n", "groups", "unknown"] as const) this[count] += other[count];
    for (const side of SIDES) this.tied[side] += other.tied[side];
    for (const means of ["reward", "advantage", ...PARTS] as const) this[means].take(other[means]);
  }
  get pairs() {
    return {
      reward: this.reward.pair,
      format: this.format.pair,
      accuracy: this.accuracy.pair,
      consistency: this.consistency.pair,
      advantage: this.advantage.pair,
      tied: { ...this.tied },
      unknown: this.unknown,
    };
  }
}

const distance = (advantage: number | null) => (advantage === null ? null : Math.abs(advantage));

function isTied(rewards: readonly (number | null)[]): boolean {
  const [first] = rewards;
  if (rewards.length < 2 || first == null) return false;
  return rewards.every((reward) => reward !== null && Math.abs(reward - first) <= SAME_REWARD);
}

const noFlips = () => Object.fromEntries(FLIPS.map((one) => [one, 0])) as Record<Flip, number>;

/**
 * Adds up groups as they are scored. It holds steps, tasks and reasons, never completions.
 *
 * @param is_same  Whether the plan asks for what the run did itself: then what differs is a mismatch.
 */
export function createReplayTally(is_same: boolean) {
  let width = 1;
  let steps = new Map<number, Sums>();
  const total = new Sums();
  const held = new Map<number, { n: number; accuracy: Means; format: Means }>();
  const tasks = new Map<string, { n: number; flips: Record<Flip, number> }>();
  const flips = noFlips();
  const unknown = new Map<string, number>();
  const mismatches = { rewards: 0, advantages: 0, first: [] as ReplayMismatch[] };
  let last_step: number | null = null;
  let rewards_changed = 0;
  let without_options = 0;

  const widen = () => {
    width *= 2;
    const wider = new Map<number, Sums>();
    for (const [at, sums] of steps) {
      const index = Math.floor(at / 2);
      const one = wider.get(index);
      if (one) one.take(sums);
      else wider.set(index, sums);
    }
    steps = wider;
  };

  const check = (ids: readonly number[], lines: readonly LineOf<"completion">[], group: ReplayedGroup) => {
    group.completions.forEach(({ before, after }, k) => {
      const line = lines[k];
      if (!line) return;
      for (const what of ["reward", "advantage"] as const) {
        const emitted = before[what];
        if (emitted === null) continue;
        const replayed = after[what];
        const allowed = what === "reward" ? SAME_REWARD : group.tolerance;
        if (replayed !== null && Math.abs(replayed - emitted) <= allowed) continue;
        mismatches[`${what}s`] += 1;
        const completion_id = ids[k] ?? 0;
        if (mismatches.first.length < MOST_MISMATCHES)
          mismatches.first.push({ completion_id, step: line.step, k: line.k, what, emitted, replayed });
      }
    });
  };

  return {
    /** @param ids  Of the lines, in their order. */
    add(ids: readonly number[], lines: readonly LineOf<"completion">[], group: ReplayedGroup): void {
      const [first] = lines;
      if (!first) return;
      without_options += group.kept;
      const task = tasks.get(first.task) ?? { n: 0, flips: noFlips() };
      tasks.set(first.task, task);
      task.n += lines.length;
      for (const one of group.completions)
        for (const flip of one.flips) {
          flips[flip] += 1;
          task.flips[flip] += 1;
        }
      last_step = Math.max(last_step ?? first.step, first.step);
      if (first.split === "eval") {
        const at = held.get(first.step) ?? { n: 0, accuracy: new Means(), format: new Means() };
        held.set(first.step, at);
        at.n += lines.length;
        for (const { before, after } of group.completions) {
          at.accuracy.add(before.accuracy, after.accuracy);
          at.format.add(before.format, after.format);
        }
        return;
      }
      const index = Math.floor(first.step / width);
      const sums = steps.get(index) ?? new Sums();
      steps.set(index, sums);
      sums.add(group);
      total.add(group);
      for (const { before, after } of group.completions) {
        if (after.reward === null) {
          const reason = after.reason ?? "not known";
          unknown.set(reason, (unknown.get(reason) ?? 0) + 1);
        } else if (before.reward !== null && Math.abs(before.reward - after.reward) > SAME_REWARD)
          rewards_changed += 1;
      }
      if (is_same) check(ids, lines, group);
      if (steps.size > MOST_STEPS) widen();
    },

    summary(): ReplaySummary {
      const rows = [...steps]
        .sort(([a], [b]) => a - b)
        .map(
          ([at, sums]): ReplayStep => ({
            step: Math.max(1, at * width),
            n: sums.n,
            groups: sums.groups,
            ...sums.pairs,
          }),
        );
      return {
        completions: total.n,
        groups: total.groups,
        last_step,
        width,
        steps: rows,
        held_out: [...held]
          .sort(([a], [b]) => a - b)
          .map(([step, { n, accuracy, format }]) => ({
            step,
            n,
            accuracy: accuracy.pair,
            format: format.pair,
          })),
        total: total.pairs,
        flips: { ...flips },
        tasks: [...tasks].sort(([a], [b]) => a.localeCompare(b)).map(([task, of]) => ({ task, ...of })),
        rewards_changed,
        unknown: [...unknown].sort(([, a], [, b]) => b - a).map(([reason, n]) => ({ reason, n })),
        without_options,
        is_same,
        mismatches: { ...mismatches, first: [...mismatches.first] },
      };
    },
  };
}
