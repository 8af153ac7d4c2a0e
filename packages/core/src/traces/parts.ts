import type { Trace, TraceGrowth, TracePart } from "./types.ts";

/** A trace is told in parts of so many characters, the first one short, so that its beginning is there at once. */
const FIRST_PART = 200_000;
const PART = 8_000_000;

/** The trace with the beginning of its text; of most traces that is all. */
export function cutFirstPart(trace: Trace): TracePart {
  return { ...trace, text: trace.text.slice(0, FIRST_PART), chars: trace.text.length };
}

/**
 * Says how far a trace has been told, for going on from there.
 *
 * @param told  How many characters of its text.
 */
export function markTrace({ state, judgement }: Pick<Trace, "state" | "judgement">, told: number): string {
  return `${told} ${state} ${judgement?.status}`;
}

/**
 * What is to be told of a trace beyond a mark, in parts, each with the mark that it leads to; none when nothing is new.
 * A text only ever grows.
 *
 * @param mark  Of `markTrace`; anything else is told from the start.
 */
export function* tellGrowth(trace: Trace, mark: string): Generator<[mark: string, growth: TraceGrowth]> {
  const { text, state, problem, reading, accuracy, judgement, tokens, secs } = trace;
  const chars = text.length;
  if (markTrace(trace, chars) === mark) return;
  let from = Math.max(0, Math.min(Number.parseInt(mark, 10) || 0, chars));
  do {
    const to = Math.min(from + PART, chars);
    const part = text.slice(from, to);
    yield [
      markTrace(trace, to),
      { from, text: part, chars, state, problem, reading, accuracy, judgement, tokens, secs },
    ];
    from = to;
  } while (from < chars);
}

/** Joins what has come to what was there. */
export function addGrowth(before: TracePart, { from, text, ...rest }: TraceGrowth): TracePart {
  return { ...before, ...rest, text: before.text.slice(0, from) + text };
}
