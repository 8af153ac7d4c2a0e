import { createRandom } from "../worlds/random.ts";
import type { Question } from "./types.ts";

export type SplitName = "train" | "val" | "test";

/**
 * Splits questions so that all questions of a scene stay on one side. The same seed and questions give the same split,
 * whatever the order of the questions.
 *
 * @param shares  Shares of scenes for train and val in [0, 1]; the rest is test.
 * @returns One name per question, in the given order.
 */
export function splitByScene(
  questions: readonly Question[],
  seed: number,
  shares: { train: number; val: number },
): SplitName[] {
  const sceneOf = (question: Question) => `${question.dataset}/${question.scene ?? question.question_id}`;
  const scenes = createRandom(`split-${seed}`).shuffle([...new Set(questions.map(sceneOf))].sort());
  const train = Math.round(scenes.length * shares.train);
  const val = Math.round(scenes.length * (shares.train + shares.val));
  const side = new Map(
    scenes.map((scene, index) => [scene, index < train ? "train" : index < val ? "val" : "test"]),
  );
  return questions.map((question) => side.get(sceneOf(question)) as SplitName);
}
