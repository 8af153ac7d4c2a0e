import type { Question } from "../benchmarks/types.ts";
import { createRandom } from "../worlds/random.ts";

type Asked = Pick<Question, "dataset" | "scene" | "question_id" | "task" | "options" | "gold" | "kind">;

const FOLDS = 5;

const isLike = ({ task, options }: Asked) => `${options.length} ${task}`;
const sceneOf = ({ dataset, scene, question_id }: Asked) => `${dataset}/${scene ?? question_id}`;

/**
 * Guesses each question's letter without text and video: the letter that is right most often among the questions of its
 * task and number of options in the other folds. What a model gains must be held against what this gets.
 *
 * @param questions  All of a set. Where some lie on the training side of a split, the guess is learned from those; else
 *   from four of five folds by scene.
 * @returns One letter per question, in order; null for a numeric question, and where the other folds know no such
 *   question. Of equally frequent letters the first counts.
 */
export function guessByPrior(questions: readonly (Asked & { split: string | null })[]): (string | null)[] {
  const foldOf = toFolds(questions);
  const counts = new Map<string, number[][]>();
  for (const question of questions) {
    const letter = toIndex(question);
    const learned_by = foldOf.learnedBy(question);
    if (letter < 0) continue;
    const like = counts.get(isLike(question)) ?? Array.from({ length: FOLDS }, () => []);
    for (const fold of learned_by) {
      const row = like[fold] as number[];
      row[letter] = (row[letter] ?? 0) + 1;
    }
    counts.set(isLike(question), like);
  }
  return questions.map((question) => {
    if (question.kind !== "choice") return null;
    const row = counts.get(isLike(question))?.[foldOf.of(question)] ?? [];
    let best = -1;
    for (const [letter, count] of row.entries()) if ((count ?? 0) > (row[best] ?? 0)) best = letter;
    return best < 0 ? null : "ABCDEFGH".charAt(best);
  });
}

function toIndex({ kind, gold }: Asked): number {
  return kind === "choice" && gold !== null ? "ABCDEFGH".indexOf(gold) : -1;
}

/** Which fold a question lies in, and whose guesses learn from it. */
function toFolds(questions: readonly (Asked & { split: string | null })[]) {
  type Split = Asked & { split: string | null };
  if (questions.some(({ split }) => split === "train"))
    return { of: () => 0, learnedBy: ({ split }: Split) => (split === "train" ? [0] : []) };
  const scenes = createRandom("label-prior").shuffle([...new Set(questions.map(sceneOf))].sort());
  const folds = new Map(scenes.map((scene, at) => [scene, at % FOLDS]));
  const of = (question: Split) => folds.get(sceneOf(question)) as number;
  const all = Array.from({ length: FOLDS }, (_, fold) => fold);
  return { of, learnedBy: (question: Split) => all.filter((fold) => fold !== of(question)) };
}
