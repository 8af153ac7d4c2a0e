import type { Question, Row } from "./types.ts";

const LETTERS = "ABCDEFGH";

/** A question as one row of our JSONL; `importRows` reads the same question from it. */
export function toOwnRow({ text, ...rest }: Question): Row {
  const { question_id, dataset, clip_name, from_secs, to_secs, scene, task, options, gold, kind } = rest;
  return {
    question_id,
    dataset,
    clip_name,
    from_secs,
    to_secs,
    scene,
    task,
    question: text,
    options,
    gold,
    kind,
  };
}

/**
 * A question in the layout of the released `*_data.json`.
 *
 * @returns Null for what that layout can't say: a numeric question, or one without gold.
 */
export function toReleasedRow(question: Question): Row | null {
  if (question.kind !== "choice" || question.gold === null) return null;
  const options = question.options.map((option, index) => `${LETTERS.charAt(index)}. ${option}`);
  return {
    Question_id: question.question_id,
    video_id: question.clip_name,
    question_category: question.task,
    question: ["Question: ".concat(question.text), "Choices:", ...options].join("\n"),
    answer: question.gold,
    scene_name: question.scene,
  };
}
