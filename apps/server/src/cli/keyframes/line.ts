import {
  describeDecision,
  type KeyFrameDecision,
  type KeyFrameSelection,
  type KeyFrameSettings,
} from "@sightline/core/keyframes";
import { z } from "zod";
import type { Scan } from "../../media/scan.ts";

/** What every line names: where the video lies below the folder, its bytes, and the settings. */
export type LineHead = {
  path: string;
  /** SHA-256 of the bytes; null where they could not be read. */
  clip_id: string | null;
  settings_hash: string;
};

/** A video with its key-frames. */
export type SelectionLine = LineHead & {
  settings: KeyFrameSettings;
  frame_count: number;
  /** Null when the container does not say. */
  duration_secs: number | null;
  /** Ordinals that were looked at. */
  sampled: number[];
  /** `reason` is the verdict in words. */
  decisions: (KeyFrameDecision & { reason: string })[];
  key_frames: { frame: number; time_secs: number }[];
  note: string | null;
  /** What of the file could not be read, in a sentence; null when all could. */
  problem: string | null;
};

/** A copy of a video that has its line under another path. */
export type CopyLine = LineHead & { same_as: string };

/** A video that could not be looked at, and why, in a sentence. */
export type FailureLine = LineHead & { failure: string };

export type Line = SelectionLine | CopyLine | FailureLine;

/** What going on needs to know of a line that was written before. */
export const KnownLine = z.object({
  path: z.string(),
  clip_id: z.string().nullable(),
  settings_hash: z.string(),
  failure: z.string().optional(),
  same_as: z.string().optional(),
});

export function toSelectionLine(
  head: LineHead,
  { index, problem }: Scan,
  { settings, decisions, note }: KeyFrameSelection,
): SelectionLine {
  return {
    ...head,
    settings,
    frame_count: index.time_secs.length,
    duration_secs: index.duration_secs,
    sampled: decisions.map(({ frame }) => frame),
    decisions: decisions.map((decision) => ({ ...decision, reason: describeDecision(decision, settings) })),
    key_frames: decisions.filter(({ kept }) => kept).map(({ frame, time_secs }) => ({ frame, time_secs })),
    note,
    problem,
  };
}

/** The line of a copy: it points to the first one's, or fails for the same reason. */
export function toCopyLine(head: LineHead, first: Line): CopyLine | FailureLine {
  return "failure" in first ? { ...head, failure: first.failure } : { ...head, same_as: first.path };
}
