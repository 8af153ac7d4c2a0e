import type { Question, QuestionDraft } from "./types.ts";

/** How many options a question may have. */
export const OPTIONS = { least: 2, most: 8 } as const;

/** Without the controls that nobody sees and some programs end at; tabs and line ends stay. */
const clean = (text: string) => text.replace(/[^\P{Cc}\t\n\r]/gu, "").trim();

/** Trims what a person typed or pasted; a task that was left empty is "unknown". */
export function cleanDraft({ text, options, gold, task }: QuestionDraft): QuestionDraft {
  return {
    text: clean(text),
    options: options.map(clean),
    gold: gold === null || clean(gold) === "" ? null : clean(gold),
    task: clean(task) || "unknown",
  };
}

/**
 * What is wrong with a question as a person wrote it.
 *
 * @param draft  As `cleanDraft` gives it.
 * @returns A sentence with what to do; null when all is well.
 */
export function checkDraft(draft: QuestionDraft, kind: Question["kind"]): string | null {
  const { text, options, gold } = draft;
  if (text === "") return "Write the question's text.";
  if (kind === "number")
    return gold === null || Number.isFinite(Number(gold)) ? null : "The gold answer is a number: write one.";
  if (options.length < OPTIONS.least || options.length > OPTIONS.most)
    return `A question has ${OPTIONS.least} to ${OPTIONS.most} options; this one has ${options.length}.`;
  const letterOf = (at: number) => "ABCDEFGH".charAt(at);
  const empty = options.indexOf("");
  if (empty >= 0) {
    const way =
      options.length > OPTIONS.least
        ? "write it or take it away"
        : `write it, a question has at least ${OPTIONS.least}`;
    return `Option ${letterOf(empty)} is empty: ${way}.`;
  }
  const double = options.findIndex((option, at) => options.indexOf(option) < at);
  if (double >= 0) {
    const first = options.indexOf(options[double] ?? "");
    return `Options ${letterOf(first)} and ${letterOf(double)} say the same: change one.`;
  }
  const at = gold === null ? 0 : "ABCDEFGH".indexOf(gold);
  if (gold !== null && (gold.length !== 1 || at < 0 || at >= options.length))
    return `The gold answer ${gold} is not among the options: choose one of them.`;
  return null;
}
