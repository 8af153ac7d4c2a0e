import { createHash } from "node:crypto";
import type { Evaluation, EvaluationCard } from "@sightline/core/evaluations";

const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Names what is asked, in its order, by questions and right answers. */
export function nameQuestions(rows: readonly { question_id: string; gold: string | null }[]): string {
  return hash(rows.map(({ question_id, gold }) => `${question_id}\0${gold}\n`).join(""));
}

/**
 * A settings card: its entries in one order, whoever asks, and named by them. A seed says nothing where no word is drawn
 * by chance.
 */
export function makeCard({ seed, ...said }: EvaluationCard): NonNullable<Evaluation["card"]> {
  const all = seed === undefined || said.temperature === 0 ? said : { ...said, seed };
  const values = Object.fromEntries(
    Object.entries(all).sort(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : 1)),
  );
  return { hash: hash(JSON.stringify(values)), values };
}

const ORDER = [
  "questions",
  "question_count",
  "frames",
  "vlm_frames",
  "prompt_version",
  "temperature",
  "max_completion_tokens",
  "rule_set",
  "judge",
  "judge_variants",
];

const rank = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
