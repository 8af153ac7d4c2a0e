import type { Triple } from "./types.ts";

/** What the layout needs of a triple. With an `index` it keeps its number where others are left out. */
export type LaidOut = Pick<Triple, "action" | "change" | "relevant" | "raw" | "problems"> &
  Partial<Pick<Triple, "index">>;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** One line of the video's text: `Frame k: After move forward, Observe: …`. */
export function formatFrame(triple: LaidOut, index: number): string {
  const view = triple.problems.includes("unplaced")
    ? oneLine(triple.raw)
    : oneLine([triple.change, triple.relevant].filter((part) => part !== "").join(" "));
  const after = index === 0 || triple.action === null ? "" : `After ${triple.action}, `;
  return `Frame ${index}: ${after}Observe: ${view}`;
}

/**
 * The text that the reasoner reads in place of the video.
 *
 * The frame lines and their order are those of the released `processed_*.json`; the sentences around them are ours.
 *
 * @param question  Question and options, as {@link formatQuestion} writes them.
 */
export function formatVideoText(triples: readonly LaidOut[], question: string): string {
  return [
    "You are an agent moving through a place. What you saw on the way, from the start until now, is written down below as text.",
    "Frame 0 is the view at the start. Each later frame names the action that led to it and what changed. The last frame is where you are now.",
    "Video content:",
    "<",
    ...triples.map((triple, at) => formatFrame(triple, triple.index ?? at)),
    ">",
    `Question: ${question}`,
  ].join("\n");
}

/** Question and lettered options: one line each. */
export function formatQuestion(text: string, options: readonly string[]): string {
  if (options.length === 0) return text;
  return [
    text,
    "Choices:",
    ...options.map((option, index) => `${"ABCDEFGHIJ".charAt(index)}. ${option}`),
  ].join("\n");
}
