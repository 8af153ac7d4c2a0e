import type { SelectionVersion } from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type {
  Perceiver,
  TripleEdit,
  TripleFields,
  TripleSet,
  TripleSetSummary,
  TripleTally,
} from "@sightline/core/perception";
import type { Logger } from "pino";
import type { Bell } from "../../live/follow.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { Perceive } from "./perceivers/perceiver.ts";
import type { TripleStore } from "./store.ts";
import type { KeyFrame } from "./tables.ts";

/** The key-frames of one version of a selection. */
export type Described = { key_frames: KeyFrame[]; selection_version: number };

/** What is to be described, and by whom. */
export type TriplePlan = {
  clip_id: string;
  /** Of a stored key-frame selection. */
  settings_hash: string;
  perceiver: Perceiver;
  /** The question whose objects matter; null when it is none of the stored ones. */
  question_id: string | null;
  /** Question and options, or a person's own words; may be empty. */
  question: string;
};

/** What a plan will cost, as far as it can be known before. */
export type TripleEstimate = {
  key_frames: number;
  /** Calls to the endpoint, without those whose answer is known from before. */
  calls: number;
  cached: number;
  /** Pictures that are sent. */
  pictures: number;
  /** Rough: of prompts and pictures, and of answers. */
  prompt_tokens: number;
  completion_tokens: number;
  /** Null while nothing like it was ever made. */
  secs: number | null;
};

/** What a file of triples is brought in as. */
export type ImportedTriples = {
  triple_set_ids: string[];
  /** Rows of this clip that could not be brought in, and rows without triples, each with the reason. */
  set_aside: { id: string; reason: string }[];
  /** Rows of other clips. */
  others: number;
};

/** Sets of triples of the library's clips. */
export type Triples = {
  /** Kinds of perceiver that a clip can have, besides files. */
  listPerceivers(clip_id: string): Perceiver["kind"][];
  /** Sets of a clip, newest first. */
  list(clip_id: string): TripleSetSummary[];
  /** Sets of a clip that are in the trash, the last one first. */
  listTrashed(clip_id: string): TripleSetSummary[];
  get(triple_set_id: string): TripleSet;
  /** What stands out about a set's perceiver over all clips: the newest set of each counts. */
  tallyPerceiver(triple_set_id: string): { clips: number; tally: TripleTally };
  estimate(plan: TriplePlan): TripleEstimate;
  /** Begins a set and the job that fills it. */
  start(plan: TriplePlan): TripleSetSummary;
  /** The same, and waits for the end; of a set just like it that is being made, too. Throws with the set's problem when it was not finished. */
  make(plan: TriplePlan, signal: AbortSignal): Promise<TripleSet>;
  cancel(triple_set_id: string): void;
  /** Goes on with a set that was cut short: asks for what is missing only. */
  resume(triple_set_id: string): TripleSetSummary;
  /** Brings in triples that were made elsewhere, for one clip. */
  bringIn(
    plan: Omit<TriplePlan, "perceiver" | "question">,
    file: { name: string; text: string },
  ): ImportedTriples;
  edit(triple_set_id: string, index: number, after: TripleFields): TripleEdit | null;
  /** Takes back the last edit that stands, of one triple or of the set; null when none does. */
  undo(triple_set_id: string, index: number | null): TripleEdit | null;
  /** Every change of one triple, oldest first. */
  listEdits(triple_set_id: string, index: number): TripleEdit[];
  trash(triple_set_id: string): void;
  restore(triple_set_id: string): void;
  /** Rings at every change of any set. */
  bell: Bell;
  /** Goes on with what an earlier server left. */
  startUp(): void;
};

export type TripleParts = {
  store: TripleStore;
  jobs: Jobs;
  log: Logger;
  perceivers: Partial<Record<Perceiver["kind"], Perceive>>;
  canPerceive(clip_id: string, kind: Perceiver["kind"]): boolean;
  /** The perceiver in words. */
  nameModel(perceiver: Perceiver): string;
  getClipName(clip_id: string): string;
  /** Null where the key-frames are not stored. */
  getSelection(clip_id: string, settings_hash: string): KeyFrameSelection | null;
  /** The newest version of a selection by default, as people corrected it; throws where it is not stored. */
  getVersion(clip_id: string, settings_hash: string, version?: number): SelectionVersion;
  lookAtMotions: Decisions["lookAtMotions"];
  /** Who changes triples. */
  getAuthor(): string;
  estimateCalls(plan: TriplePlan, key_frames: readonly KeyFrame[]): Omit<TripleEstimate, "key_frames">;
};
