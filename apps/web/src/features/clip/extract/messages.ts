import type { Rotation, SampleTable } from "@sightline/core/clips";
import type { KeyFrameSettings } from "@sightline/core/keyframes";

/** What the worker must know of a clip to look at its frames. */
export type ClipSource = {
  clip_id: string;
  /** original: decode the file here; otherwise the server hands out the grey planes, for a proxy holds other pixels. */
  playback: "original" | "proxy" | "none";
  rotation: Rotation;
  table: SampleTable;
};

/** What the worker is asked. */
export type Call =
  | { type: "extract"; clip: ClipSource; settings: KeyFrameSettings }
  | { type: "reselect"; clip_id: string; stored_hash: string; settings: KeyFrameSettings }
  | { type: "prepare"; clip_id: string; stored_hash: string; settings: KeyFrameSettings };

/** What it tells on the way: sampled frames looked at, of how many. */
export type Note = { done: number; total: number };
