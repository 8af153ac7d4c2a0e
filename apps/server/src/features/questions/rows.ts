import { type Question, toClipKey } from "@sightline/core/benchmarks";
import type { QuestionRow } from "./store.ts";

/** The set of the questions that were written here. */
export const WRITTEN = "written";
/** The set of the questions that come with the product. */
export const SAMPLES = "samples";

/**
 * Makes a row of the store of a question that came in.
 *
 * @param row  Its row in the set's file, from 1.
 * @param asked_clip_id  The clip that it was asked on; null when only a name says which.
 */
export function toQuestionRow(
  set_id: string,
  question: Question,
  row: number,
  asked_clip_id: string | null = null,
): QuestionRow {
  return {
    ...question,
    set_id,
    question_id: set_id === SAMPLES ? question.question_id : `${set_id}/${question.question_id}`,
    source_id: question.question_id,
    row,
    clip_key: question.clip_name === null ? null : toClipKey(question.clip_name),
    asked_clip_id,
    split: null,
    edited_secs: null,
    trashed_secs: null,
  };
}
