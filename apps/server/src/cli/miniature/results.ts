import { z } from "zod";
import { VARIANTS } from "./arms.ts";
import { IN, OUT } from "./questions.ts";

const Share = z.object({
  /** How many were looked at. */
  n: z.number(),
  /** How many of them hold. */
  hold: z.number(),
});
/** So many of so many. */
export type Share = z.infer<typeof Share>;

const Scores = z.object({
  accuracy: Share,
  format: Share,
  /** Of the right answers: whose reasoning states the answer's heading last. A rule reads it; no judge. */
  stated: Share,
  /** Of the right answers that the judge was asked about: those that it gives too. */
  judged: z.record(z.enum(VARIANTS), Share),
});
export type Scores = z.infer<typeof Scores>;

/** What came of one training run: its held-out questions before, during and after. */
export const CellResult = z.object({
  arm: z.string(),
  seed: z.number(),
  /** Of settings, questions and trainer; see `hashCell`. */
  hash: z.string(),
  /** Names the trainer's source; see `hashTrainer`. */
  trainer: z.string(),
  evaluations: z.array(z.object({ step: z.number(), in: Scores, out: Scores })),
});
export type CellResult = z.infer<typeof CellResult>;

/** The fields that are read of a line of `completions-NNNNN.jsonl`. */
const Line = z.object({
  split: z.string().optional(),
  step: z.number(),
  task: z.string(),
  text: z.string(),
  parse: z.object({ think: z.tuple([z.number(), z.number()]).nullable(), letter: z.string().nullable() }),
  rewards: z.object({
    format: z.object({ raw: z.number().nullable() }),
    accuracy: z.object({ raw: z.number().nullable() }),
  }),
  judges: z.array(z.object({ variant: z.string(), agrees: z.boolean().nullable(), status: z.string() })),
});
type Line = z.infer<typeof Line>;

const HEADINGS = ["north", "east", "south", "west"];

/**
 * Counts a run's held-out answers.
 *
 * @param completions  Texts of the run's completion files.
 */
export function countEvaluations(completions: readonly string[]): CellResult["evaluations"] {
  const lines = completions
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.includes('"eval"'))
    .map((line) => Line.parse(JSON.parse(line)))
    .filter(({ split }) => split === "eval");
  const steps = [...new Set(lines.map(({ step }) => step))].sort((a, b) => a - b);
  return steps.map((step) => {
    const count = (task: string) =>
      countScores(lines.filter((one) => one.step === step && one.task === task));
    return { step, in: count(IN), out: count(OUT) };
  });
}

function countScores(lines: readonly Line[]): Scores {
  const right = lines.filter(({ rewards }) => rewards.accuracy.raw === 1);
  const judged = VARIANTS.map((variant) => {
    const verdicts = right
      .flatMap(({ judges }) => judges.filter((one) => one.variant === variant))
      .filter(({ status }) => status === "ok" || status === "no_think");
    return [variant, share(verdicts, ({ agrees }) => agrees === true)] as const;
  });
  return {
    accuracy: share(lines, ({ rewards }) => rewards.accuracy.raw === 1),
    format: share(lines, ({ rewards }) => rewards.format.raw === 1),
    stated: share(right, (line) => readStated(line) === line.parse.letter),
    judged: Object.fromEntries(judged) as Scores["judged"],
  };
}

/** The letter of the heading that the reasoning names last; null without any. */
function readStated({ text, parse }: Line): string | null {
  const words = parse.think === null ? [] : text.slice(...parse.think).split(/\s+/);
  const at = HEADINGS.indexOf(words.findLast((word) => HEADINGS.includes(word)) ?? "");
  return at < 0 ? null : "ABCD".charAt(at);
}

function share<T>(list: readonly T[], holds: (one: T) => boolean): Share {
  return { n: list.length, hold: list.filter(holds).length };
}
