import type { Agreement } from "../keyframes/agreement.ts";
import type { KeyFrameSettings } from "../keyframes/types.ts";

/** Where a batch's clips come from. A folder is one of this machine that the owner listed, or one below it. */
export type BatchSource =
  | { kind: "clips" }
  | { kind: "tag"; tag: string }
  | { kind: "all" }
  | { kind: "folder"; folder_id: string; path: string };

/**
 * working: clips are being looked at; cancelled: a person stopped it, and what is left can be gone on with; failed: it
 * could not go on, and `problem` says why; done: every clip has its key-frames or its reason.
 */
export type BatchState = "working" | "cancelled" | "failed" | "done";

/**
 * waiting: nobody has looked at it yet; working: under way; done: looked at by this batch; there: its key-frames under
 * these settings were there already; failed: `problem` says why.
 */
export type BatchClipState = "waiting" | "working" | "done" | "there" | "failed";

/** How fast a batch goes, told from what it has just finished. */
export type Pace = {
  clips_per_minute: number;
  /** Seconds until all is done, if what is left goes as fast as what has just been done. */
  left_secs: number;
};

/** Key-frames of many clips under one set of settings. */
export type Batch = {
  batch_id: string;
  name: string;
  source: BatchSource;
  settings: KeyFrameSettings;
  settings_hash: string;
  state: BatchState;
  /** A sentence with what to do, when failed; otherwise null. */
  problem: string | null;
  /** UTC seconds since the epoch. */
  made_secs: number;
  /** Clips by how they stand; `clips` is all of them. */
  clips: number;
  waiting: number;
  working: number;
  done: number;
  there: number;
  failed: number;
  /** Null while nobody works on it, and until enough has been done to tell. */
  pace: Pace | null;
};

/** One clip of a batch and what came of it. */
export type BatchClip = {
  batch_id: string;
  /** 0-based place in the batch. */
  place: number;
  /** What the person calls the clip; of a file the path below the folder. */
  name: string;
  /** Below the batch's folder, with `/` between its parts; null for a clip of the library. */
  path: string | null;
  /** Null for a file that is not in the library yet. */
  clip_id: string | null;
  state: BatchClipState;
  /** Why it failed, in a sentence, and what to do about it; null when it did not. */
  problem: string | null;
  advice: string | null;
  /** Key-frames and sampled frames; null until they are known. */
  kept: number | null;
  sampled: number | null;
  /** Length of the clip in seconds; null until it has been read. */
  duration_secs: number | null;
  /** When this batch was through with it, in UTC seconds; null before. */
  ended_secs: number | null;
  /** Rises with every change within the batch. */
  revision: number;
};

/** A clip of a batch under the batch's settings (a) and under others (b). */
export type ComparedClip = Pick<BatchClip, "place" | "name" | "clip_id"> & {
  /** Null where one side has no key-frames yet. */
  agreement: Agreement | null;
};

/** A part of a batch's comparison, and how many of its clips have been compared. */
export type ComparedPart = { clips: ComparedClip[]; compared: number; clips_in_all: number };
