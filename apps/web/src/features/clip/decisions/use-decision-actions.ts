import { useCallbackRef } from "@mantine/hooks";
import {
  type Check,
  type Decided,
  describeDecided,
  findRedo,
  findUndo,
  judgeAction,
  type SelectionVersion,
  type StatedAction,
} from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import { useState } from "react";
import { findNeighbour } from "../sampled.ts";
import type { ShownFrame } from "./shown-frames.ts";
import type { DecisionState } from "./use-decisions.ts";

/** What came of the last key, in a sentence; `is_refused` when nothing was decided. */
export type Outcome = { text: string; is_refused: boolean };

/** A step that a decision can be made of: the way from one key-frame to the next. */
export type Step = { from_frame: number; frame: number; motion: Motion | null };

export type DecisionActions = {
  outcome: Outcome | null;
  /** The frame that is decided of: the listed one on screen, or the last one before it. */
  current: ShownFrame | null;
  /** The way that leads to the key-frame on screen, or the last one before it; null at the first. */
  step: Step | null;
  keep(): void;
  drop(): void;
  add(): void;
  /** By one sampled frame. */
  shift(direction: 1 | -1): void;
  /** The nearest key-frame to the frame on screen. */
  shiftHere(): void;
  callRight(): void;
  /** Null: wrong, and what is right is not said. */
  callWrong(right_action: StatedAction | null): void;
  note(text: string): void;
  undo(): void;
  redo(): void;
  returnTo(version: number): void;
  /** Decides anything else, and says what came of it. */
  decide(decided: Decided): Check;
};

/** What can be decided of the frame on screen. Everything that is pressed is answered in words. */
export function useDecisionActions({
  state,
  selection,
  shown,
  frame,
  motions,
  onOpen,
  onNewest,
}: {
  state: DecisionState;
  selection: KeyFrameSelection | null;
  shown: readonly ShownFrame[];
  /** Ordinal on screen. */
  frame: number;
  /** Geometry's word by key-frame. */
  motions: ReadonlyMap<number, Motion>;
  onOpen(frame: number): void;
  /** Shows the newest version, because something is about to be added to it. */
  onNewest(): void;
}): DecisionActions {
  const { history, newest, version } = state;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const current = shown.findLast((one) => one.frame <= frame) ?? null;
  const step = findStep(version, frame, motions);

  const refuse = (text: string) => setOutcome({ text, is_refused: true });

  const decide = useCallbackRef((decided: Decided): Check => {
    const check: Check =
      version !== null && newest !== null && version.version !== newest.version && decided.kind !== "return"
        ? {
            outcome: "refused",
            reason: `Version ${version.version} is an earlier one. Return to it, or go to the newest.`,
          }
        : state.decide(decided);
    if (check.outcome === "refused") refuse(check.reason);
    else {
      const words = describeDecided(decided);
      const text = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
      setOutcome(
        check.outcome === "already"
          ? { text: `${text}: that was said already.`, is_refused: true }
          : { text: `${text}.`, is_refused: false },
      );
      if (check.outcome === "new") onNewest();
    }
    return check;
  });

  const key_frames = newest?.key_frames.map((one) => one.frame) ?? [];
  const go = (decided: Extract<Decided, { kind: "shift" }>) => {
    if (decide(decided).outcome === "new") onOpen(decided.to_frame);
  };

  return {
    outcome,
    current,
    step,
    keep() {
      if (current === null) refuse("There is no frame to keep yet.");
      else decide({ kind: current.kept ? "keep" : "add", frame: current.frame });
    },
    drop() {
      if (current === null) refuse("There is no frame to drop yet.");
      else decide({ kind: "drop", frame: current.frame });
    },
    add: () => void decide({ kind: "add", frame }),
    shift(direction) {
      if (current === null || !current.kept)
        return refuse("Only a key-frame is shifted. Go to one with [ or ].");
      const sampled = selection?.decisions.map((one) => one.frame) ?? [];
      const to_frame = findNeighbour(sampled, current.frame, direction);
      if (to_frame === null) return refuse("There is no sampled frame beyond this one.");
      go({ kind: "shift", frame: current.frame, to_frame });
    },
    shiftHere() {
      if (key_frames.includes(frame)) return refuse(`Frame ${frame} is a key-frame already.`);
      const nearest = findNearest(key_frames, frame);
      if (nearest === null) return refuse("There is no key-frame to shift.");
      go({ kind: "shift", frame: nearest, to_frame: frame });
    },
    callRight() {
      if (step === null) return refuse("No way leads to the first key-frame.");
      const said_action = step.motion?.action ?? null;
      if (said_action === null)
        return refuse("Geometry has said nothing of this way, so there is nothing to call right.");
      decide({
        kind: "action_right",
        frame: step.frame,
        from_frame: step.from_frame,
        said_by: "geometry",
        said_action,
      });
    },
    callWrong(right_action) {
      if (step === null) return refuse("No way leads to the first key-frame.");
      const { frame: to, from_frame, motion } = step;
      decide(
        judgeAction(
          { frame: to, from_frame, said_by: "geometry", said_action: motion?.action ?? null },
          right_action,
        ),
      );
    },
    note(text) {
      if (current === null) refuse("There is no frame to note anything at yet.");
      else decide({ kind: "note", frame: current.frame, note: text.trim() });
    },
    undo() {
      const undo = findUndo(history);
      if (undo === null) return refuse("There is nothing to take back.");
      if (decide({ kind: "undo", undoes: undo.decision_id }).outcome === "new") {
        setOutcome({ text: `Took back: ${undo.author} ${describeDecided(undo)}.`, is_refused: false });
      }
    },
    redo() {
      const redo = findRedo(history);
      if (redo === null) return refuse("There is nothing to bring back.");
      if (decide({ kind: "redo", undoes: redo.decision_id }).outcome === "new") {
        const target = redo.kind === "undo" && history.find(({ decision_id }) => decision_id === redo.undoes);
        setOutcome({
          text: target ? `Brought back: ${target.author} ${describeDecided(target)}.` : "Brought back.",
          is_refused: false,
        });
      }
    },
    returnTo(to_version) {
      if (decide({ kind: "return", to_version }).outcome === "already") onNewest();
    },
    decide,
  };
}

function findStep(
  version: SelectionVersion | null,
  frame: number,
  motions: ReadonlyMap<number, Motion>,
): Step | null {
  const key_frames = version?.key_frames ?? [];
  const index = key_frames.findLastIndex((one) => one.frame <= frame);
  const at = key_frames[index];
  const before = key_frames[index - 1];
  if (at === undefined || before === undefined) return null;
  return { from_frame: before.frame, frame: at.frame, motion: motions.get(at.frame) ?? null };
}

function findNearest(frames: readonly number[], frame: number): number | null {
  let nearest: number | null = null;
  for (const other of frames) {
    if (nearest === null || Math.abs(other - frame) < Math.abs(nearest - frame)) nearest = other;
  }
  return nearest;
}
