import { createHash } from "node:crypto";
import type { TrainingRow } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";
import type { ClipPictures } from "./draw-clips.ts";

/** What of a question is the same for every model. */
export type Found = Omit<TrainingRow, "prompt" | "question" | "frames"> & { clip_id: string };
/** A question as a model is asked it; `ordinals` are the frames of its clip that are shown, none to one that reads. */
export type Row = Found & { prompt: string; question: string; ordinals: number[] };

/** Bytes of pictures at most that go along with a launch: a host takes 64 MiB at once, and they grow by a third. */
const MOST_BYTES = 40 * 2 ** 20;

/** Why questions are set aside, and how many for each reason. */
export type Reasons = { add(reason: string): void; list(): string[] };

export function createReasons(): Reasons {
  const counts = new Map<string, number>();
  return {
    add(reason) {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    },
    list: () => [...counts].map(([reason, n]) => `${n} ${reason}`),
  };
}

/**
 * At most so many frames, evenly spread: those that the trainer picks (grpo/prompt.py), whose round takes halves to the
 * even neighbour.
 */
export function spreadFrames(frames: readonly number[], most: number): number[] {
  const last = frames.length - 1;
  const count = Math.min(most, frames.length);
  return Array.from({ length: count }, (_, at) => {
    const place = (at * last) / Math.max(1, count - 1);
    const low = Math.floor(place);
    return frames[place - low === 0.5 ? low + (low % 2) : Math.round(place)] ?? 0;
  });
}

/**
 * The rows with the pictures that they show, named; one with a picture that can't be drawn is set aside.
 *
 * @throws TRPCError where drawing was cancelled, and where a host could not take so many pictures.
 */
export async function drawRows(
  rows: readonly Row[],
  { pictures, reasons, name }: { pictures: ClipPictures; reasons: Reasons; name: string },
): Promise<{ rows: TrainingRow[]; pictures: Map<string, Buffer> }> {
  const wanted = new Map(
    rows.filter(({ ordinals }) => ordinals.length > 0).map(({ clip_id, ordinals }) => [clip_id, ordinals]),
  );
  const drawn = wanted.size === 0 ? null : await pictures.draw(wanted, name);
  const files = new Map<string, Buffer>();
  const named = new Map<string, string[]>();
  for (const [clip_id, ordinals] of wanted) {
    const found = ordinals.flatMap((ordinal) => {
      const jpeg = drawn?.get(clip_id)?.get(ordinal);
      return jpeg === undefined ? [] : [{ file: namePicture(ordinal, jpeg), jpeg }];
    });
    if (found.length < ordinals.length) continue;
    for (const { file, jpeg } of found) files.set(file, jpeg);
    named.set(
      clip_id,
      found.map(({ file }) => file),
    );
  }
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (bytes > MOST_BYTES)
    throw new TRPCError({
      code: "BAD_REQUEST",
      message: `The key-frames of these questions are ${toMiB(bytes)} MiB, and ${toMiB(MOST_BYTES)} can be sent to a host at once: choose a side of the set, or a smaller set.`,
    });
  const shown = rows.flatMap(({ ordinals, ...row }): TrainingRow[] => {
    if (ordinals.length === 0) return [row];
    const frames = named.get(row.clip_id);
    if (frames !== undefined) return [{ ...row, frames }];
    reasons.add("with a key-frame that can't be decoded");
    return [];
  });
  return { rows: shown, pictures: files };
}

const namePicture = (ordinal: number, jpeg: Buffer) =>
  `frame-${ordinal}-${createHash("sha256").update(jpeg).digest("hex").slice(0, 16)}.jpg`;

const toMiB = (bytes: number) => Math.round(bytes / 2 ** 20);
