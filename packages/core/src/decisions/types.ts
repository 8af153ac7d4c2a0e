import type { Action } from "../worlds/types.ts";

/** What a camera did on the way to a key-frame, in a person's or a perceiver's words; "unclear" when it can't be told. */
export type StatedAction = Action | "unclear";

/** What a person says of one key-frame. Frames are ordinals in the clip. */
export type Judgement =
  /** keep: it is rightly a key-frame. drop: it is none. add: a frame that is none becomes one. */
  | { kind: "keep" | "drop" | "add"; frame: number }
  /** The key-frame `frame` belongs at `to_frame`, which is none yet. */
  | { kind: "shift"; frame: number; to_frame: number }
  /** What `said_by` said of the way from the key-frame before, `from_frame`, to `frame` is right. */
  | { kind: "action_right"; frame: number; from_frame: number; said_by: string; said_action: StatedAction }
  /**
   * It is wrong, or nothing was said (`said_action` null), and `right_action` is right; `right_action` null where the
   * person only knows that it is wrong.
   */
  | {
      kind: "action_wrong";
      frame: number;
      from_frame: number;
      said_by: string;
      said_action: StatedAction | null;
      right_action: StatedAction | null;
    }
  /** Takes the place of an earlier note at this key-frame; an empty one takes it away. */
  | { kind: "note"; frame: number; note: string };

/** What a person does with what was said before: nothing is ever deleted, so this is said, too. */
export type Revision =
  /** Takes back the decision `undoes`, which is a judgement or a return. */
  | { kind: "undo"; undoes: string }
  /** Takes back the undo `undoes`, so that what it took back holds again. */
  | { kind: "redo"; undoes: string }
  /** Goes on from an earlier version as it was; 0 is the extractor's own. */
  | { kind: "return"; to_version: number }
  /**
   * Takes the key-frames of a file in place of all there are: rising, each once, at least one; `source` is its name.
   * What was said before of ways and key-frames that are still there stays, but for what the file says a person called
   * the way to a key-frame from the one before. Imports of before lack `actions`, and begin with nothing said.
   */
  | { kind: "import"; frames: number[]; source: string; actions?: ImportedAction[] };

export type ImportedAction = { frame: number; action: StatedAction };

export type Decided = Judgement | Revision;

/** One entry of a selection's history, which only grows. */
export type Decision = Decided & {
  /** Made by the browser that sends it (a UUID): sent twice, it is one decision. */
  decision_id: string;
  /** The clip's content hash (SHA-256 of its bytes). */
  clip_id: string;
  /** Of the key-frame selection that was judged. */
  settings_hash: string;
  /** The version that it makes: its place in the selection's history, from 1, without gaps. */
  version: number;
  author: string;
  /** UTC. */
  made_secs: number;
};

/** Who said it, when, in which entry of the history. */
export type Said = Pick<Decision, "decision_id" | "author" | "made_secs">;

export type PersonAction = {
  verdict: "right" | "wrong";
  /** What is right by the person; null where only the wrong is known. */
  action: StatedAction | null;
  /** What was judged, and who had said it: "geometry", or a perceiver's label. */
  said_action: StatedAction | null;
  said_by: string;
  /** The key-frame before, where the way begins. */
  from_frame: number;
  by: Said;
};

export type KeyFrameNote = { text: string; by: Said };

/** A key-frame of a version. */
export type VersionFrame = {
  /** Ordinal in the clip, 0-based, and seconds from its start, from the sample table. */
  frame: number;
  time_secs: number;
  /** extractor: it kept this very frame, too. person: a person added it, or shifted a key-frame to it. */
  origin: "extractor" | "person";
  /** Where the key-frame stood before a person shifted it here; null when it wasn't. */
  shifted_from: number | null;
  /** The last decision to keep, add or shift it; null when nobody said anything. */
  by: Said | null;
  /** The person's word on the way from the key-frame before it, as long as the way is that one; else null. */
  action: PersonAction | null;
  note: KeyFrameNote | null;
};

/** A frame that the extractor kept and that is no key-frame of a version. */
export type LeftFrame = {
  frame: number;
  time_secs: number;
  /** Where a person shifted it; null when it was dropped. */
  shifted_to: number | null;
  by: Said;
  note: KeyFrameNote | null;
};

/**
 * A selection as people corrected it. Version 0 is the extractor's own; each decision makes the next one.
 * The extractor's reasons and evidence stay in the `KeyFrameSelection`; both go together by `frame`.
 */
export type SelectionVersion = {
  clip_id: string;
  settings_hash: string;
  version: number;
  /** The file whose key-frames it goes on from, and who took them; null where it goes on from the extractor's. */
  imported: (Said & { source: string }) | null;
  /** In presentation order, never empty where the extractor kept any. */
  key_frames: VersionFrame[];
  /** In presentation order. */
  left_out: LeftFrame[];
  /** Judgements that are in force, oldest first. */
  in_force: (Judgement & Decision)[];
  /** Judgements that no longer fit the selection; they change nothing, and are kept. */
  misfits: (Judgement & Decision)[];
};
