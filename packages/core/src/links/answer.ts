import { readReleased } from "../rewards/embodied-r.ts";
import { readLetter, readTrace } from "../traces/index.ts";
import { lookAtText, readReasoning, type Stated } from "./reasoning.ts";
import type { LinkCheck, LinkEvidence, Look } from "./types.ts";

type Check = Omit<LinkCheck, "link">;

const LETTERS = "ABCDEFGH";
const toOptions = ({ options }: LinkEvidence["question"]) => ({ count: options.length, texts: options });

const WHY_NO_JUDGE: Record<string, string> = {
  skipped_wrong_answer: "The judge was not asked, because the answer is wrong",
  no_think: "The judge had no reasoning to read",
  timeout: "The judge did not answer in time",
  http_error: "The judge could not be reached",
  unparsed: "The judge gave no letter",
};

/** Whether the answer that was given is the one that the reasoning comes to. */
export function checkConclusion(evidence: LinkEvidence, stated: Stated): Check {
  const { letter, judges, question } = evidence;
  if (letter === null)
    return {
      state: "unknown",
      sentence: "No answer was read that could follow from the reasoning.",
      looks: [],
    };
  const say = (concluded: string, looks: Look[], who: string): Check => ({
    state: concluded === letter ? "holds" : "fails",
    sentence:
      concluded === letter
        ? `${who} ${concluded}, and that is the answer.`
        : `${who} ${concluded}; the answer is ${letter}.`,
    looks: [...looks, ...lookAtAnswer(evidence)],
  });
  const at = question.options.findIndex((option) => option.trim().toLowerCase() === stated.concluded);
  if (stated.concluded !== null && at >= 0)
    return say(LETTERS.charAt(at), stated.span ? [stated.span] : [], "The reasoning comes to");
  const judged = judges.filter(({ status, letter: one }) => status === "ok" && one !== null);
  const judge = judged.find(({ variant }) => variant !== "letter_stripped") ?? judged[0];
  if (judge?.letter) {
    const check = say(judge.letter, [], "From the reasoning alone the judge gets");
    const others = judged.filter((one) => one !== judge && one.letter !== judge.letter);
    const doubt = others.map((one) => ` As ${one.variant.replaceAll("_", " ")} it gets ${one.letter}.`);
    return { ...check, sentence: check.sentence + doubt.join("") };
  }
  const reasoning = readReasoning(evidence);
  const declared = reasoning && readLetter(reasoning.text, toOptions(question), false);
  if (reasoning && declared?.rule === "declared")
    return say(
      declared.letter,
      [lookAtText(reasoning, 0, reasoning.text.length, "the reasoning")],
      "The reasoning declares",
    );
  const why = judges.map(({ status }) => WHY_NO_JUDGE[status]).find((words) => words !== undefined);
  return {
    state: "unknown",
    sentence: `${why ?? "No judge read the reasoning"}, and the reasoning names no answer of its own.`,
    looks: lookAtAnswer(evidence),
  };
}

function lookAtAnswer({ text, question, prompt }: LinkEvidence): Look[] {
  const { answer } = readTrace(text, toOptions(question), prompt);
  return answer ? [{ kind: "text", from: answer[0], to: answer[1], point: null, label: "the answer" }] : [];
}

/** Whether the letter that counted is the one that was meant: tags, truncation, both rule sets. */
export function checkExtraction(evidence: LinkEvidence): Check {
  const { text, prompt, letter, question, is_cut } = evidence;
  const reading = readTrace(text, toOptions(question), prompt);
  const looks = lookAtAnswer(evidence);
  const fail = (sentence: string): Check => ({ state: "fails", sentence, looks });
  if (question.kind === "number")
    return { state: "unknown", sentence: "The question asks for a number, which has no letter.", looks };
  if (letter === null)
    return fail(
      is_cut
        ? "It was cut at the longest length before it answered."
        : `No answer was read: ${reading.reason ?? "no letter in the answer"}${describeFaults(reading.problems)}.`,
    );
  const given = reading.blocks
    .filter(({ tag }) => tag === "answer")
    .map(({ inner }) => readLetter(text.slice(...inner), toOptions(question), true).letter)
    .filter((one) => one !== null);
  if (new Set(given).size > 1)
    return fail(`It answers more than once, ${given.join(" and then ")}; ${letter} counted.`);
  if (reading.letter !== null && reading.letter !== letter)
    return fail(`${letter} counted, and by the rules of today it says ${reading.letter}.`);
  if (reading.answer === null)
    return fail(`There is no answer block; ${letter} was taken from what stands outside the tags.`);
  const inner = text.slice(...reading.answer);
  const written = findWritten(inner, question.options);
  if (written !== null && written !== letter)
    return fail(`The answer gives the letter ${letter} and the words of option ${written}.`);
  const released = readReleased(text).letter;
  const other =
    released === letter
      ? "Both rule sets read it so"
      : released === null
        ? "The released rules would read no letter of it"
        : `The released rules would read ${released}, because they search the reasoning too`;
  return {
    state: "holds",
    sentence: `The answer block says ${letter}. ${other}${describeFaults(reading.problems)}.`,
    looks,
  };
}

const describeFaults = (problems: readonly string[]) =>
  problems.length === 0 ? "" : `; of the tags: ${problems.join(", ")}`;

/** The one option whose words stand behind a letter, as in "C. a narrow lane"; null where none does, or several. */
function findWritten(inner: string, options: readonly string[]): string | null {
  const rest = /^\s*\(?[A-H]\s*[.):,–-]\s*(.{2,})$/s.exec(inner)?.[1]?.trim().toLowerCase();
  if (rest === undefined) return null;
  const same = options.flatMap((option, at) =>
    option.trim().toLowerCase() === rest.replace(/[.\s]+$/, "") ? [LETTERS.charAt(at)] : [],
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}
