import { splitInlineOptions } from "../benchmarks/inline-options.ts";
import type { TrainingRow } from "../worlds/index.ts";

/**
 * A line of the released GRPO data: what the policy reads as one turn of a user, and the gold answer. The other columns
 * are ours; trainers that read the released layout hand them on or leave them out.
 */
export type GrpoRow = {
  messages: { role: "user"; content: string }[];
  solution: string;
  id?: string;
  task?: string;
  clip?: string | null;
  options?: string[];
  split?: string;
  kind?: "choice" | "number";
  chain?: string | null;
};

/** What a question is known by besides its text. */
export type KnownQuestion = { question_id: string; task: string; clip_id: string | null };

const FNV_PRIME = 0x0100_0193;

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME) >>> 0;
  return hash;
}

/**
 * Names a question by its text and options, so that a released file, which has no ids, finds its questions again. Case,
 * white space and the header before the options do not count.
 *
 * @param text  Question and options; what stands before the last "Question:" is not part of it.
 * @returns 16 hexadecimal digits.
 */
export function hashQuestion(text: string): string {
  const own = text.split(/(?:^|\n)[ \t]*question[ \t]*[:：]/i).at(-1) ?? text;
  const split = splitInlineOptions(own);
  const plain = (split === null ? [own] : [split.stem, ...split.options])
    .map((part) => part.toLowerCase().replace(/\s+/g, " ").trim())
    .join("\n");
  return [0x811c_9dc5, 0x1234_5678].map((seed) => fnv(plain, seed).toString(16).padStart(8, "0")).join("");
}

/** A question as a line of the released layout, with all of it in further columns. */
export function toGrpoRow(row: TrainingRow, split: string): GrpoRow {
  const { question_id, task, clip_id, prompt, options, gold, kind, chain } = row;
  return {
    messages: [{ role: "user", content: prompt }],
    solution: gold,
    id: question_id,
    task,
    clip: clip_id,
    options,
    split,
    kind,
    chain,
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** True for a row of this layout. */
export function isGrpoRow(value: Record<string, unknown>): boolean {
  return Array.isArray(value.messages) && "solution" in value;
}

/**
 * The fields of a training question from a row of this layout. Where our columns are missing, the text tells question
 * and options, and `known` tells the rest by the question's hash.
 *
 * @param known  By {@link hashQuestion}.
 * @returns What stands in the row; a gap stays one, and whoever reads on says what is missing.
 */
export function readGrpoRow(
  value: Record<string, unknown>,
  known: ReadonlyMap<string, KnownQuestion>,
): Record<string, unknown> {
  const messages = value.messages as unknown[];
  const user = messages.findLast(
    (one): one is { content: string } =>
      typeof one === "object" &&
      one !== null &&
      (one as { role?: unknown }).role === "user" &&
      isText((one as { content?: unknown }).content),
  );
  if (user === undefined) return {};
  const prompt = user.content;
  const own = prompt.split(/(?:^|\n)[ \t]*question[ \t]*[:：]/i).at(-1) ?? prompt;
  const split = splitInlineOptions(own);
  const found = known.get(hashQuestion(prompt));
  const wrapped = /<answer>(.*?)<\/answer>/s.exec(String(value.solution ?? ""));
  return {
    question_id: isText(value.id) ? value.id : found?.question_id,
    task: isText(value.task) ? value.task : found?.task,
    clip_id: isText(value.clip) ? value.clip : (found?.clip_id ?? null),
    prompt,
    question: (split?.stem ?? own).trim(),
    options: Array.isArray(value.options) ? value.options : split?.options,
    kind: value.kind,
    gold: wrapped?.[1]?.trim() ?? value.solution,
    chain: value.chain,
  };
}
