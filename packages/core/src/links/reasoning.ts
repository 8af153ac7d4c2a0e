import { splitSentences } from "../ask/strikes.ts";
import { findCitations } from "../perception/citations.ts";
import { readTrace } from "../traces/parse.ts";
import { lookAtFrame } from "./moments.ts";
import { getNeedKind, type Need, nameObject } from "./needs.ts";
import { followHeadings, type Told } from "./told.ts";
import { lookAtMove } from "./triples.ts";
import type { LinkCheck, LinkEvidence, Look } from "./types.ts";

type Check = Omit<LinkCheck, "link">;

/** The reasoning of a completion and where it begins; null when nothing stands before the answer. */
export type Reasoning = { text: string; from: number };

const toOptions = ({ options }: LinkEvidence["question"]) => ({ count: options.length, texts: options });

/** Inside of the think tags; where they are missing, what stands before the answer. */
export function readReasoning({ text, prompt, question }: LinkEvidence): Reasoning | null {
  const { think, blocks } = readTrace(text, toOptions(question), prompt);
  const answer = blocks.find(({ tag }) => tag === "answer");
  const [from, to] = think ?? [0, answer?.outer[0] ?? text.length];
  const inner = text.slice(from, to);
  return inner.trim() === "" ? null : { text: inner, from };
}

/** What a reasoning comes to, where that can be told from its words alone. */
export type Stated = { check: Check; concluded: string | null; span: Look | null };

export function checkReasoning(evidence: LinkEvidence, told: Told | null, need: Need | null): Stated {
  const reasoning = readReasoning(evidence);
  const none = { concluded: null, span: null };
  if (reasoning === null)
    return { check: { state: "fails", sentence: "There is no reasoning.", looks: [] }, ...none };
  const kind = getNeedKind(evidence.question.task);
  if (told?.kind === "moves") return checkChain(evidence, told, reasoning);
  if (!ENGLISH_WORD.test(reasoning.text))
    return { check: checkByJudge(evidence, "It is in no words that are known here"), ...none };
  if (kind === "heading") return checkHeadingWords(evidence, told, reasoning);
  if (kind !== null && need !== null) return checkStatement(evidence, need, reasoning);
  return { check: checkByJudge(evidence, "Nobody wrote down which fact is needed"), ...none };
}

/** Prose about a path that has none of these is in another language, and what it leaves out can't be told. */
const ENGLISH_WORD =
  /\b(i|my|the|of|to|from|and|then|with|this|left|right|ahead|behind|forward|turn(s|ed|ing)?|fac(e|es|ing)|north|east|south|west)\b/i;

const CHAIN = /\b(\d{1,4})\s+(left|right|around|forward)\b(?:\s+(north|east|south|west)\b)?/g;
const HEADING_WORD = /\b(north|east|south|west)\b/gi;

/** A tiny policy's chain, move by move: `1 left west 2 forward west`. */
function checkChain(evidence: LinkEvidence, told: Told & { kind: "moves" }, reasoning: Reasoning): Stated {
  const headings = followHeadings(told, evidence.question.text) ?? [];
  const last = [...reasoning.text.matchAll(HEADING_WORD)].at(-1);
  const concluded = last?.[0].toLowerCase() ?? null;
  const span = last ? lookAtText(reasoning, last.index, last[0].length, "where it ends up") : null;
  const done = (check: Check): Stated => ({ check, concluded, span });
  const fail = (sentence: string, match: RegExpExecArray | null, n: number) =>
    done({
      state: "fails",
      sentence: `${sentence}${evidence.is_cut ? " It was cut at the longest length." : ""}`,
      looks: [
        ...(match ? [lookAtText(reasoning, match.index, match[0].length, "these words", n)] : []),
        ...lookAtMove(evidence, told, n),
      ],
    });
  let n = 0;
  for (const match of reasoning.text.matchAll(CHAIN)) {
    const [, number = "", move = "", heading] = match;
    n += 1;
    const said = told.moves[n - 1];
    if (said === undefined) return fail(`It goes on with a move ${number} after the last one.`, match, n - 1);
    if (Number(number) !== n) return fail(`It says move ${number} where move ${n} follows.`, match, n);
    if (move !== said) return fail(`At move ${n} it says ${move}; the prompt says ${said}.`, match, n);
    if (heading === undefined) return fail(`It doesn't say which way it faces after move ${n}.`, match, n);
    if (heading !== headings[n])
      return fail(
        `After ${n} ${move} it says ${heading}; from ${headings[n - 1]} that is ${headings[n]}.`,
        match,
        n,
      );
  }
  if (n < told.moves.length)
    return fail(
      n === 0 ? "It takes up none of the moves." : `It stops after move ${n} of ${told.moves.length}.`,
      null,
      n + 1,
    );
  const end = headings.at(-1);
  if (last && concluded !== end)
    return fail(`It ends with ${concluded}, though its own last move led to ${end}.`, last, n);
  return done({
    state: "holds",
    sentence: `It follows every move, and ends facing ${end}.`,
    looks: span ? [span] : [],
  });
}

export function lookAtText(
  reasoning: Reasoning,
  at: number,
  length: number,
  label: string,
  point: number | null = null,
): Look {
  return { kind: "text", from: reasoning.from + at, to: reasoning.from + at + length, label, point };
}

type Sentence = { text: string; at: number };

function listSentences(text: string): Sentence[] {
  let at = 0;
  return splitSentences(text).map((sentence) => {
    at = text.indexOf(sentence, at);
    const found = { text: sentence, at };
    at += sentence.length;
    return found;
  });
}

/** Prose on a heading: what it says at the frames that it names, and where it ends up. */
function checkHeadingWords(evidence: LinkEvidence, told: Told | null, reasoning: Reasoning): Stated {
  const { question, key_frames } = evidence;
  const headings = told && followHeadings(told, question.text);
  const sentences = listSentences(reasoning.text);
  const last = [...reasoning.text.matchAll(HEADING_WORD)].at(-1);
  const concluded = last?.[0].toLowerCase() ?? null;
  const span = last ? lookAtText(reasoning, last.index, last[0].length, "where it ends up") : null;
  const done = (check: Check): Stated => ({ check, concluded, span });
  if (question.task === "heading" && headings !== null) {
    for (const sentence of sentences) {
      const cited = findCitations(sentence.text, headings.length);
      const words = [...sentence.text.matchAll(HEADING_WORD)];
      const [citation, word] = [cited[0], words.at(-1)];
      if (cited.length !== 1 || citation === undefined || word === undefined) continue;
      const [said, is] = [word[0].toLowerCase(), headings[citation.index]];
      if (said === is) continue;
      return done({
        state: "fails",
        sentence: `Of frame ${citation.index} it says ${said}; what was told leads to ${is}.`,
        looks: [
          ...lookAtFrame(key_frames, citation.index),
          lookAtText(reasoning, sentence.at, sentence.text.length, "this sentence", citation.index),
        ],
      });
    }
  }
  const gold = question.options["ABCDEFGH".indexOf(question.gold ?? "?")]?.trim().toLowerCase();
  const expected = question.task === "heading" && headings ? headings.at(-1) : gold;
  if (concluded === null || !isTurnStated(told, sentences))
    return done({
      state: "fails",
      sentence: concluded === null ? "It names no heading." : "It leaves out a turn that was told.",
      looks: [],
    });
  if (expected === undefined)
    return done({ state: "unknown", sentence: "The right heading is not known.", looks: [] });
  return done(
    concluded === expected
      ? { state: "holds", sentence: `It ends facing ${concluded}, as it should.`, looks: span ? [span] : [] }
      : {
          state: "fails",
          sentence: `It ends facing ${concluded}; what was told leads to ${expected}.`,
          looks: span ? [span] : [],
        },
  );
}

/** Whether each frame with a turn is taken up; a reasoning that names no frame is not held to it. */
function isTurnStated(told: Told | null, sentences: readonly Sentence[]): boolean {
  if (told?.kind !== "frames") return true;
  const cited = new Set(
    sentences.flatMap(({ text }) => findCitations(text, 10_000).map(({ index }) => index)),
  );
  if (cited.size === 0) return true;
  return told.frames.every(({ index, action }) => !action?.startsWith("rotate") || cited.has(index));
}

const LETTERS = "ABCDEFGH";

/** Prose on things: what the sentences that name them say of the options. */
function checkStatement(evidence: LinkEvidence, need: Need, reasoning: Reasoning): Stated {
  const { question, key_frames } = evidence;
  const none = { concluded: null, span: null };
  const sentences = listSentences(reasoning.text);
  const names = need.objects.map(nameObject);
  const isNamed = ({ text }: Sentence, name: string) => text.toLowerCase().includes(name);
  const absent = names.filter((name) => !sentences.some((sentence) => isNamed(sentence, name)));
  const cited = findCitations(reasoning.text, key_frames?.length ?? 10_000).map(({ index }) => index);
  const frames = [...new Set(cited)].slice(0, 4).flatMap((index) => lookAtFrame(key_frames, index));
  if (need.kind !== "steps" && absent.length > 0)
    return {
      check: {
        state: "fails",
        sentence: `It never speaks of ${absent.map((name) => `the ${name}`).join(", ")}.`,
        looks: frames,
      },
      ...none,
    };
  if (need.kind === "order") return checkOrder(question, names, sentences, reasoning, frames);
  const about =
    need.kind === "steps" ? sentences : sentences.filter((one) => names.some((name) => isNamed(one, name)));
  const isOptionThing = question.task === "relative_distance";
  const stated = question.options.flatMap((option, at) => {
    const wanted = option.trim().toLowerCase();
    // Things that are options are named when they are compared as well: only what is called nearest counts.
    const within = isOptionThing ? about.filter(({ text }) => /\b(?:nearest|closest)\b/i.test(text)) : about;
    const found = within.find(({ text }) => hasWords(text.toLowerCase(), wanted));
    return found ? [{ letter: LETTERS.charAt(at), option: wanted, sentence: found }] : [];
  });
  const longest = stated.filter(
    ({ option }) => !stated.some((other) => other.option !== option && other.option.includes(option)),
  );
  const [only] = longest;
  if (longest.length !== 1 || only === undefined)
    return {
      check: {
        state: "unknown",
        sentence:
          longest.length === 0
            ? "It speaks of what is asked about, but in none of the options' words."
            : `It weighs ${longest.length} of the options, and which one it holds to be so can't be told from words alone.`,
        looks: frames,
      },
      ...none,
    };
  const span = lookAtText(reasoning, only.sentence.at, only.sentence.text.length, "this sentence");
  return {
    check: {
      state: only.letter === question.gold ? "holds" : "fails",
      sentence:
        only.letter === question.gold
          ? `It says so: ${only.option}.`
          : `It says ${only.option}; that is option ${only.letter}, not ${question.gold ?? "known to be right"}.`,
      looks: [...frames, span],
    },
    concluded: null,
    span,
  };
}

const hasWords = (text: string, words: string) =>
  new RegExp(`(?<![a-z-])${words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![a-z-])`).test(text);

function checkOrder(
  { options, gold }: LinkEvidence["question"],
  names: readonly string[],
  sentences: readonly Sentence[],
  reasoning: Reasoning,
  frames: Look[],
): Stated {
  const text = reasoning.text.toLowerCase();
  const order = [...names].sort((a, b) => text.indexOf(a) - text.indexOf(b));
  const right = (options[LETTERS.indexOf(gold ?? "?")] ?? "").toLowerCase();
  const wanted = [...names].sort((a, b) => right.indexOf(a) - right.indexOf(b));
  const isRight = order.join() === wanted.join();
  const first = sentences.find((one) => one.text.toLowerCase().includes(order[0] ?? ""));
  return {
    check: {
      state: isRight ? "holds" : "fails",
      sentence: isRight
        ? `It takes them up in the right order: ${order.join(", ")}.`
        : `It takes them up as ${order.join(", ")}; right is ${wanted.join(", ")}.`,
      looks: [
        ...frames,
        ...(first ? [lookAtText(reasoning, first.at, first.text.length, "where it begins")] : []),
      ],
    },
    concluded: null,
    span: null,
  };
}

/** Without a known fact: a judge that reads the reasoning alone either gets to the right answer or doesn't. */
/** @param why  What keeps the rules from telling by themselves. */
function checkByJudge({ judges, question: { gold } }: LinkEvidence, why: string): Check {
  const judge = judges.find(({ status, letter }) => status === "ok" && letter !== null);
  if (judge === undefined || gold === null)
    return {
      state: "unknown",
      sentence: `${why}, and no judge read the reasoning.`,
      looks: [],
    };
  return judge.letter === gold
    ? {
        state: "holds",
        sentence: `From the reasoning alone the judge gets ${gold}, the right answer.`,
        looks: [],
      }
    : {
        state: "fails",
        sentence: `From the reasoning alone the judge gets ${judge.letter}; right is ${gold}.`,
        looks: [],
      };
}
