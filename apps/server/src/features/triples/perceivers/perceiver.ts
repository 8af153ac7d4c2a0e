import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import type { Perceiver, Triple, TripleCost } from "@sightline/core/perception";
import type { KeyFrame } from "../tables.ts";

/** A triple as a perceiver gives it. */
export type GivenTriple = Pick<Triple, "action" | "change" | "relevant" | "raw" | "problems">;

/** What a perceiver is asked to describe. */
export type PerceiverTask<P extends Perceiver = Perceiver> = {
  clip_id: string;
  perceiver: P;
  /** The selection that the key-frames come from; null when it is not stored any more. */
  selection: KeyFrameSelection | null;
  key_frames: readonly KeyFrame[];
  /** Indices of key-frames that nobody described yet. */
  missing: readonly number[];
  question: string;
  /** What geometry says of the way to each key-frame; empty where it can't look. Looks once, when first asked. */
  motions(): Promise<readonly (Motion | null)[]>;
  signal: AbortSignal;
  /** Says how many of the missing ones are as good as described. */
  report(done: number): void;
  /** Hands in one triple, at once and in any order. */
  put(index: number, triple: GivenTriple, cost?: Partial<TripleCost>): void;
};

/** Describes key-frames; throws in words for a person when some have no triple. What was put stays. */
export type Perceive<P extends Perceiver = Perceiver> = (task: PerceiverTask<P>) => Promise<void>;
