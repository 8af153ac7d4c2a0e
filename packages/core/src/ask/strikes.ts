import type { Triple } from "../perception/types.ts";

/** Something that a person leaves out of what the reasoner reads: a whole triple, or one sentence of it. */
export type Strike = {
  /** Position of the triple among the clip's key-frames. */
  index: number;
  /** Word for word; null for the whole triple. */
  sentence: string | null;
};

/** The sentences of a triple's text, in order; joined by a space they give the text again, but for white space. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

const isStruck = (strikes: readonly Strike[], index: number, sentence: string | null) =>
  strikes.some((strike) => strike.index === index && strike.sentence === sentence);

/**
 * What is left of the triples. Those that stay keep their `index`, so that "Frame 7" means the same before and after.
 */
export function leaveOut(triples: readonly Triple[], strikes: readonly Strike[]): Triple[] {
  if (strikes.length === 0) return [...triples];
  const keep = (index: number, text: string) =>
    strikes.some((strike) => strike.index === index && strike.sentence !== null)
      ? splitSentences(text)
          .filter((sentence) => !isStruck(strikes, index, sentence))
          .join(" ")
      : text;
  return triples
    .filter(({ index }) => !isStruck(strikes, index, null))
    .map((triple) => ({
      ...triple,
      change: keep(triple.index, triple.change),
      relevant: keep(triple.index, triple.relevant),
      raw: triple.problems.includes("unplaced") ? keep(triple.index, triple.raw) : triple.raw,
    }));
}

/** Strikes out what is not struck out, and takes back what is. A whole triple takes its sentences along. */
export function toggleStrike(strikes: readonly Strike[], strike: Strike): Strike[] {
  if (isStruck(strikes, strike.index, strike.sentence))
    return strikes.filter((other) => other.index !== strike.index || other.sentence !== strike.sentence);
  const others = strike.sentence === null ? strikes.filter(({ index }) => index !== strike.index) : strikes;
  return [...others, strike].sort((a, b) => a.index - b.index);
}
