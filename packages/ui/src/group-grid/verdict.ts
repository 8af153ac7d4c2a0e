import type { LineOf } from "@sightline/core/wire";

/** What became of one completion, in the order in which glyphs are told apart. */
export type Verdict = "consistent" | "inconsistent" | "unjudged" | "wrong";

export type Completion = LineOf<"completion">;

/** Right and fitting its reasoning, right against it, right and not judged, or wrong. */
export function getVerdict(completion: Completion): Verdict {
  if (completion.rewards.accuracy?.raw !== 1) return "wrong";
  const judge = completion.judges.find((one) => one.agrees !== null);
  if (!judge) return "unjudged";
  return judge.agrees ? "consistent" : "inconsistent";
}

/** True when the answer's form was rewarded; null when it was not scored. */
export function isWellFormed(completion: Completion): boolean | null {
  const raw = completion.rewards.format?.raw;
  return raw === null || raw === undefined ? null : raw === 1;
}

/** True for an answer to a held-out question, which an evaluation asked for. */
export function isHeldOut(completion: Completion): boolean {
  return completion.split === "eval";
}

export const VERDICT_WORDS: Record<Verdict, string> = {
  consistent: "right, and the judge agrees",
  inconsistent: "right, but the judge reads another answer from the reasoning",
  unjudged: "right, not judged",
  wrong: "wrong",
};

/** Mean and sample standard deviation (N − 1, as TRL takes it) of the finite rewards; null when there are none. */
export function getSpread(rewards: readonly number[]): { mean: number; sd: number; n: number } | null {
  const finite = rewards.filter(Number.isFinite);
  const n = finite.length;
  if (n === 0) return null;
  const mean = finite.reduce((sum, value) => sum + value, 0) / n;
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : 0, n };
}
