import { z } from "zod";
import { ACTIONS, type Action } from "../worlds/types.ts";
import { findActions } from "./actions.ts";
import { leaksAnswer, parseDescription } from "./parse.ts";
import type { Triple } from "./types.ts";

/** A triple as a file has it: a file may not say which frame of the clip a key-frame is. */
export type ReadTriple = Omit<Triple, "frame" | "time_secs"> & { frame: number | null };

/** The triples of one clip in a file. */
export type ReadDescription = {
  /** Where in the file: the row's id, or its number. */
  id: string;
  /** As the file names the clip; null where it does not. */
  clip_name: string | null;
  /** Question and options, as the file has them; empty when it has none. */
  question: string;
  triples: ReadTriple[];
};

export type ReadTriples = {
  descriptions: ReadDescription[];
  /** Rows without triples, and why. */
  set_aside: { id: string; reason: string }[];
};

const Id = z.union([z.string(), z.number()]);

const ReleasedRow = z.object({
  Question_id: Id.optional(),
  video_id: z.string().optional(),
  question: z.string(),
});

const OurTriple = z.object({
  index: z.int().nonnegative(),
  frame: z.int().nonnegative(),
  action: z.enum([...ACTIONS, "unclear"]).nullable(),
  change: z.string(),
  relevant: z.string().default(""),
  raw: z.string().default(""),
});

const OurSet = z.object({
  clip_name: z.string().nullish(),
  question: z.string().default(""),
  triples: z.array(OurTriple).min(1),
});

/**
 * Reads triples made elsewhere: the released `processed_*.json` (an array of rows, one text a question), the same one row
 * a line, or the JSON that Sightline writes.
 *
 * @throws Error with a sentence when the text is no JSON at all.
 */
export function readTriplesFile(text: string): ReadTriples {
  const read: ReadTriples = { descriptions: [], set_aside: [] };
  for (const [number, row] of readRows(text).entries()) {
    const ours = OurSet.safeParse(row);
    const released = ReleasedRow.safeParse(row);
    const id = String((released.success && released.data.Question_id) || `row ${number + 1}`);
    if (ours.success) {
      const { clip_name, question, triples } = ours.data;
      read.descriptions.push({
        id,
        clip_name: clip_name ?? null,
        question,
        triples: triples.map((triple) => ({
          ...triple,
          problems: leaksAnswer(`${triple.change} ${triple.relevant}`) ? ["leaked_answer"] : [],
        })),
      });
    } else if (!released.success) {
      read.set_aside.push({ id, reason: "It has no text of a video: no “question” and no “triples”." });
    } else {
      const { video_id, question } = released.data;
      const triples = readFrameLines(question);
      if (triples === null) {
        read.set_aside.push({ id, reason: "Its text has no line that begins with “Frame 0:”." });
      } else {
        const asked = /\n[ \t]*>\s*Question:\s*([\s\S]*)$/.exec(question)?.[1] ?? "";
        read.descriptions.push({ id, clip_name: video_id ?? null, question: asked.trim(), triples });
      }
    }
  }
  return read;
}

function readRows(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    try {
      return lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      throw new Error("The file is no JSON: neither one document nor one a line.");
    }
  }
}

/**
 * The released lines `Frame k: After ACTION, Observe: VIEW`, k rising by one from 0.
 *
 * @returns Null when there is no first line.
 */
function readFrameLines(text: string): ReadTriple[] | null {
  const body = text.split(/\n[ \t]*>\s*\n/)[0] ?? text;
  const starts: number[] = [];
  for (;;) {
    const mark = new RegExp(`(?:^|\\n)[ \\t]*Frame ${starts.length}:`, "g");
    mark.lastIndex = starts.at(-1) ?? 0;
    const found = mark.exec(body);
    if (found === null) break;
    starts.push(found.index);
  }
  if (starts.length === 0) return null;
  return starts.map((start, index) => {
    const raw = body.slice(start, starts[index + 1]).trim();
    return { frame: null, ...readFrameLine(raw, index) };
  });
}

function readFrameLine(raw: string, index: number): Omit<ReadTriple, "frame"> {
  const match = /^Frame \d+:\s*(?:After\s+([\s\S]*?),\s*)?Observe:\s*([\s\S]*)$/.exec(raw);
  const stated = match?.[1] ?? null;
  const view = (match?.[2] ?? raw.replace(/^Frame \d+:\s*/, "")).replace(/^None$/, "").trim();
  if (index === 0) return { index, ...parseDescription(view, true), raw };
  // The released reader writes “After None” and the whole answer where it could not part the three points.
  if (stated === null || stated === "None") {
    const parsed = parseDescription(view, false);
    return view === ""
      ? { index, action: null, change: "", relevant: "", raw, problems: ["no_action", "no_change"] }
      : { index, ...parsed, raw: parsed.problems.includes("unplaced") ? view : raw };
  }
  const actions = findActions(stated);
  const problems: Triple["problems"] = [];
  if (actions.length === 0) problems.push("unknown_action");
  if (actions.length > 1) problems.push("several_actions");
  if (view === "") problems.push("no_change");
  if (leaksAnswer(view)) problems.push("leaked_answer");
  return { index, action: (actions[0] ?? null) as Action | null, change: view, relevant: "", raw, problems };
}
