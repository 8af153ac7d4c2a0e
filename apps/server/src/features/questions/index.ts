import type { TrainingRow } from "@sightline/core/worlds";
import type { Db } from "../../db/open.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createQuestionService, type Questions } from "./service.ts";
import { createQuestionStore } from "./store.ts";

export { registerImportRoute } from "./import-route.ts";
export type { Questions } from "./service.ts";

export function createQuestions(parts: { db: Db; library: Library; jobs: Jobs }): Questions {
  return createQuestionService({ ...parts, store: createQuestionStore(parts.db) });
}

/** Brings the sample clips' questions into the store. */
export function addSampleQuestions(questions: Questions, rows: readonly TrainingRow[]): void {
  questions.addSamples(
    rows.flatMap(({ question_id, clip_id, task, question, options, gold, kind }) =>
      clip_id === null
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
                text: question,
                options,
                gold,
                kind,
              },
            },
          ],
    ),
  );
}
