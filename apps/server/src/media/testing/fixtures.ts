import { readFileSync } from "node:fs";
import { join } from "node:path";
import { turnUpright } from "@sightline/core/keyframes";
import { readOrdinalStrip } from "@sightline/core/testing";
import type { ReadFrame } from "../read-frames.ts";

const CLIPS = join(import.meta.dirname, "../../../../../fixtures/clips");

/** The path of a clip that scripts/make-fixture-clips.ts made. */
export const getFixture = (name: string) => join(CLIPS, name);

/** What a decoded frame says that it is. */
export function readOrdinal(frame: ReadFrame): number | null {
  const { width, height, data } = turnUpright(frame);
  return readOrdinalStrip(width, height, (x, y) => data[y * width + x] ?? 0);
}

export const countTo = (count: number) => Array.from({ length: count }, (_, ordinal) => ordinal);

/** A fixture clip that is whole; every picture but those of a flat colour carries its ordinal. */
export type WholeClip = {
  name: string;
  /** What makes it awkward. */
  kind: string;
  codec: string;
  /** As FFmpeg's own tools count them. */
  frames: number;
  /** Upright, pixel aspect applied. */
  size: string;
  /** False where a browser needs a proxy. */
  original: boolean;
};

export const WHOLE = JSON.parse(readFileSync(join(CLIPS, "clips.json"), "utf8")) as readonly WholeClip[];
