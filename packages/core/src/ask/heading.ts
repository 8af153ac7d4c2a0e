import { HEADINGS } from "../worlds/types.ts";

/** The question that the tiny policy can answer on any clip, from the moves alone. */
export const HEADING_QUESTION = {
  task: "heading",
  text: "After the moves of this clip, which way do you face, if you start facing north?",
  options: [...HEADINGS] as string[],
  kind: "choice" as const,
};
