import { checkConclusion, checkExtraction } from "./answer.ts";
import { checkFact } from "./fact.ts";
import { getNeed } from "./needs.ts";
import { checkReasoning } from "./reasoning.ts";
import { readTold } from "./told.ts";
import { checkTriples } from "./triples.ts";
import {
  LINK_NAMES,
  LINK_RULES,
  LINKS,
  type Link,
  type LinkCheck,
  type LinkEvidence,
  type LinkReport,
} from "./types.ts";
import { checkClip, checkKeyFrames } from "./video.ts";

/**
 * Asks each link of the chain, from the clip to the letter, whether it holds.
 *
 * A link that there is nothing to tell by is unknown, never taken for whole. Each is asked on its own evidence, so
 * that one that fails doesn't make the later ones fail as well where they can be told apart from it.
 */
export function checkLinks(evidence: LinkEvidence): LinkReport {
  const { world, question } = evidence;
  const told = readTold(evidence);
  const need = world && getNeed(question, world);
  const stated = checkReasoning(evidence, told, need);
  const found: Record<Link, Omit<LinkCheck, "link">> = {
    clip: checkClip(evidence),
    key_frames: checkKeyFrames(evidence, need),
    triples: checkTriples(evidence, told),
    fact: checkFact(evidence, told, need),
    reasoning: stated.check,
    conclusion: checkConclusion(evidence, stated),
    extraction: checkExtraction(evidence),
  };
  const checks = LINKS.map((link) => ({ link, ...found[link] }));
  const at = checks.findIndex(({ state }) => state === "fails");
  const untold = checks
    .slice(0, at < 0 ? checks.length : at)
    .flatMap(({ link, state }) => (state === "unknown" ? [link] : []));
  const broken = checks[at]?.link ?? null;
  return {
    rules: LINK_RULES,
    checks,
    broken,
    untold,
    sentence: sayVerdict(evidence, checks, broken, untold),
  };
}

function sayVerdict(
  { letter, question: { gold } }: LinkEvidence,
  checks: readonly LinkCheck[],
  broken: Link | null,
  untold: readonly Link[],
): string {
  const isRight = letter !== null && letter === gold;
  const names = joinWords(untold.map((link) => LINK_NAMES[link]));
  if (broken === null) {
    const first = isRight ? "The answer is right, and no link is found broken." : "No link is found broken.";
    return untold.length === 0
      ? `${first}${isRight ? "" : " Look at the question and its gold answer."}`
      : `${first} Of ${names} nothing can be told.`;
  }
  const sentence = checks.find(({ link }) => link === broken)?.sentence ?? "";
  const lead = isRight ? "The answer is right all the same. " : "";
  if (untold.length === 0) return `${lead}${sentence}`;
  // Triples that are true leave nothing for the pictures to have broken, nor an answer that can't be read a conclusion.
  const isHarmless =
    checks.some(({ link, state }) => link === "triples" && state === "holds") &&
    untold.every(
      (link) =>
        link === "clip" || link === "key_frames" || (link === "conclusion" && broken === "extraction"),
    );
  return isHarmless
    ? `${lead}${sentence} Of ${names} nothing can be told, but what the policy read is true.`
    : `${lead}${sentence} Of ${names} nothing can be told, so it may have broken there already.`;
}

function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
