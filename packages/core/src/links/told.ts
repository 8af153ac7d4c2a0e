import { findActions } from "../perception/actions.ts";
import { readHeadingPrompt } from "../policies/check-prompt.ts";
import { applyMove, type Move } from "../worlds/moves.ts";
import { toHeading } from "../worlds/path.ts";
import { type Action, HEADINGS, type Heading } from "../worlds/types.ts";
import type { LinkEvidence } from "./types.ts";

/** One thing that the policy was told: a move of a tiny prompt, or a frame of the written account. */
export type ToldFrame = { index: number; action: Action | "unclear" | null; view: string };
export type Told = { kind: "moves"; start: Heading; moves: Move[] } | { kind: "frames"; frames: ToldFrame[] };

/** What the policy was told of the way: the stored triples, else what the prompt says. Null where neither is known. */
export function readTold({ prompt, triples }: Pick<LinkEvidence, "prompt" | "triples">): Told | null {
  const heading = prompt === null ? null : readHeadingPrompt(prompt);
  if (heading !== null) return { kind: "moves", ...heading };
  if (triples !== null) {
    const frames = triples.map(({ index, action, change, relevant }) => ({
      index,
      action,
      view: `${change} ${relevant}`.trim(),
    }));
    return { kind: "frames", frames };
  }
  const frames = prompt === null ? [] : readFrames(prompt);
  return frames.length === 0 ? null : { kind: "frames", frames };
}

/** The frame lines of a prompt, as `formatFrame` writes them. */
function readFrames(prompt: string): ToldFrame[] {
  return [...prompt.matchAll(/^Frame (\d{1,4}):(?: After ([^,\n]*),)? Observe:(.*)$/gm)].map(
    ([, index = "0", after, view = ""]) => ({
      index: Number(index),
      action: after === undefined ? null : (findActions(after)[0] ?? "unclear"),
      view: view.trim(),
    }),
  );
}

/** Where the nth move (from 1) of a tiny prompt, or a frame of the account, stands in the prompt; null where it doesn't. */
export function findInPrompt(
  prompt: string | null,
  told: Told,
  at: number,
): [from: number, to: number] | null {
  if (prompt === null) return null;
  const pattern =
    told.kind === "moves"
      ? new RegExp(`\\b${at} (?:left|right|around|forward)\\b`)
      : new RegExp(`^Frame ${at}:.*$`, "m");
  const match = pattern.exec(prompt);
  return match && [match.index, match.index + match[0].length];
}

/** A turn of which no amount is told counts as a quarter. */
const QUARTER_DEG = 90;

function readTurn({ action, view }: ToldFrame): number {
  if (action !== "rotate left" && action !== "rotate right") return 0;
  const told = /\b(\d{1,3})\s*(?:°|degrees?\b)/.exec(view)?.[1];
  const amount = told === undefined ? QUARTER_DEG : Number(told);
  return action === "rotate left" ? -amount : amount;
}

const START = /\bstart(?:s|ed|ing)?\s+(?:out\s+|off\s+)?facing\s+(north|east|south|west)\b/i;
const FACE = /\byou (?:face|are facing) (north|east|south|west)\b/i;

/** The heading from which the account starts, by the question or by its first frame; null where neither says it. */
export function readStart(told: Told, question: string): Heading | null {
  if (told.kind === "moves") return told.start;
  const word = (START.exec(question) ?? FACE.exec(told.frames[0]?.view ?? ""))?.[1]?.toLowerCase();
  return HEADINGS.find((heading) => heading === word) ?? null;
}

/** Headings that follow from what was told, at the start and after each move or frame; null where the start is not told. */
export function followHeadings(told: Told, question: string): Heading[] | null {
  const start = readStart(told, question);
  if (start === null) return null;
  const headings = [start];
  if (told.kind === "moves")
    for (const move of told.moves) headings.push(applyMove(headings.at(-1) as Heading, move));
  else {
    let heading_deg = 90 * HEADINGS.indexOf(start);
    for (const frame of told.frames.slice(1)) {
      heading_deg += readTurn(frame);
      headings.push(toHeading(heading_deg));
    }
  }
  return headings;
}
