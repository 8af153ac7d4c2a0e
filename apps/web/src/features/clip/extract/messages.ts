import type { Rotation, SampleTable } from "@sightline/core/clips";
import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";

/** What the worker must know of a clip to look at its frames. */
export type ClipSource = {
  clip_id: string;
  /** original: decode the file here; otherwise the server hands out the grey planes, for a proxy holds other pixels. */
  playback: "original" | "proxy" | "none";
  rotation: Rotation;
  table: SampleTable;
};

/** What the worker is asked. */
export type Request =
  | { type: "extract"; id: number; clip: ClipSource; settings: KeyFrameSettings }
  | { type: "reselect"; id: number; clip_id: string; stored_hash: string; settings: KeyFrameSettings }
  | { type: "prepare"; id: number; clip_id: string; stored_hash: string; settings: KeyFrameSettings }
  | { type: "cancel"; id: number };

/** What it answers; the last message to an id is done, failed or cancelled. */
export type Answer =
  | { type: "progress"; id: number; done: number; total: number }
  | { type: "done"; id: number; selection: KeyFrameSelection }
  | { type: "failed"; id: number; message: string }
  | { type: "cancelled"; id: number };
