import { ACTIONS } from "../worlds/types.ts";

/** Goes into the cache key and the settings card; raised with every change of a word below. */
export const PERCEPTION_PROMPT_VERSION = "sightline-1";

/** Asks for the view at the first key-frame. */
export function firstFramePrompt(question: string): string {
  return [
    "You see what an agent sees at the start of its way.",
    "Describe the things around it with colour and shape, and where each stands from the agent's point of view: ahead, ahead-left, left, behind, above, below, near, far. Speak of the space, not of places in the picture.",
    "Include every thing that the question names and that you can see. Do not answer the question and do not mention its options. Write at most 120 words.",
    "",
    `Question, for orientation only: ${question}`,
  ].join("\n");
}

/** Asks for what changed between two key-frames: three numbered points. */
export function framePairPrompt(question: string): string {
  return [
    "The first picture is what the agent saw before its last action, the second what it sees after it. Answer in three numbered points and nothing else:",
    `1. The action, one of: ${ACTIONS.join(", ")}. Only the action.`,
    "2. What is new or clearer after it, with colour and shape, and where it stands from the agent's point of view.",
    '3. What can be seen of the things that the question names; write "nothing" if none is in view.',
    "Do not answer the question and do not mention its options.",
    "",
    `Question, for orientation only: ${question}`,
  ].join("\n");
}

/** The reasoner's system message: think first, then answer, and let the answer follow from the thinking. */
export const REASONER_SYSTEM = [
  "First reason step by step between <think> and </think>. Then give the letter of one option between <answer> and </answer>, and nothing after it.",
  "The answer must follow from the reasoning. When you rely on a frame, name it: Frame 3.",
].join(" ");

/** The judge's message: question and reasoning, without the video. */
export function judgePrompt(question: string, reasoning: string): string {
  return [
    "Below is a question and somebody's reasoning about it. You can't see the video. Which option does the reasoning lead to?",
    "",
    `Question: ${question}`,
    "",
    `Reasoning: ${reasoning}`,
    "",
    "Answer with one letter only.",
  ].join("\n");
}
