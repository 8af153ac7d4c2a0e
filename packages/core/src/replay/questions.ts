import type { QuestionFacts } from "./score.ts";

/**
 * Options of the questions in a run's `data/*.jsonl`, by question. A line that can't be read is left out: then the
 * replay says that the options of its question are not known.
 */
export function readQuestionFacts(text: string): Map<string, QuestionFacts> {
  const found = new Map<string, QuestionFacts>();
  for (const line of text.split("\n")) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (typeof value !== "object" || value === null) continue;
    const { question_id, options, kind } = value as Record<string, unknown>;
    if (typeof question_id !== "string" || !Array.isArray(options)) continue;
    const texts = options.filter((one): one is string => typeof one === "string");
    if (texts.length === options.length)
      found.set(question_id, {
        options: { count: texts.length, texts },
        kind: kind === "number" ? "number" : "choice",
      });
  }
  return found;
}
