import { ACTIONS } from "../worlds/types.ts";

/** Raised whenever the words below change: answers to other words are other answers. */
export const PROMPT_VERSION = "1";

/** Tokens that an answer may take. */
export const DESCRIPTION_TOKENS = 700;

const ABOUT =
  "The pictures come from the camera of an agent that moves through a place; it may walk, drive or fly.";
const WHERE =
  "Say where things are as the agent would: ahead, to the left, behind, below, near, far; never by their place in the picture.";
const APART = "Name colour and shape where they help to tell things apart.";

function watchFor(question: string): string[] {
  if (question.trim() === "") return [];
  return [
    "",
    "Someone will later be asked what follows. Don't answer it, don't name an option, don't guess:",
    question.trim(),
  ];
}

/**
 * What a perceiver is asked about the first key-frame, with that one picture.
 *
 * @param question  Question and options whose objects matter; empty when none was asked.
 * @see Embodied-R, section 3.2: the first frame alone
 */
export function writeFirstPrompt(question: string): string {
  return [
    ABOUT,
    "This is where it starts. Describe the place: what there is, and where it stands from the agent.",
    WHERE,
    APART,
    ...(question.trim() === "" ? [] : ["Of the things named below, say which are in view and where."]),
    "Use a few plain sentences, without headings or lists.",
    ...watchFor(question),
  ].join("\n");
}

/**
 * What a perceiver is asked about a later key-frame, with the picture before it and its own.
 *
 * @param question  Question and options whose objects matter; empty when none was asked.
 * @see Embodied-R, section 3.2: action, new information, what matters to the question
 */
export function writePairPrompt(question: string): string {
  return [
    ABOUT,
    "The first picture was taken before one action of the agent, the second one after it. Answer in exactly three numbered points:",
    `1. The action, one of these and nothing else: ${ACTIONS.join(", ")}.`,
    `2. What is new in view or clearer than before, and how things now stand from the agent. ${WHERE} ${APART}`,
    question.trim() === ""
      ? "3. The landmarks that a person would remember from here; “nothing” if there are none."
      : "3. Those of the things named below that are in view, and where they are; “nothing” if none is.",
    ...watchFor(question),
  ].join("\n");
}
