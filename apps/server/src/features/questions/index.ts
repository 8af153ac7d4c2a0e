import { formatHeadingQuestion } from "@sightline/core/ask";
import { HEADINGS, type TrainingRow } from "@sightline/core/worlds";
import type { Db } from "../../db/open.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createQuestionService } from "./service.ts";
import { createQuestionStore } from "./store.ts";
import type { Questions } from "./types.ts";

export { registerImportRoute } from "./import-route.ts";
export type { Questions } from "./types.ts";

export function createQuestions(parts: {
  db: Db;
  library: Library;
  jobs: Jobs;
  /** What a policy reads of a question on a clip; null where the clip has no triples. */
  layOut(clip_id: string, question: string): string | null;
}): Questions {
  return createQuestionService({ ...parts, store: createQuestionStore(parts.db) });
}

/** The question of a training row in words that a person reads; its prompt begins with `start north`. */
function toWords({ prompt, question }: TrainingRow): string {
  const start = HEADINGS.find((heading) => prompt.startsWith(`start ${heading} `));
  return start === undefined ? question : formatHeadingQuestion(start);
}

/** Brings the sample clips' questions into the store. */
export function addSampleQuestions(questions: Questions, rows: readonly TrainingRow[]): void {
  questions.addSamples(
    rows.flatMap((row) => {
      const { question_id, clip_id, task, options, gold, kind } = row;
      return clip_id === null
        ? []
        : [
            {
              clip_id,
              question: {
                question_id,
                dataset: "samples",
                clip_name: `${question_id.replace(/^sample\//, "")}.mp4`,
                from_secs: null,
                to_secs: null,
                scene: question_id,
                task,
                text: toWords(row),
                options,
                gold,
                kind,
              },
            },
          ];
    }),
  );
}
