import type { LeftFrame, SelectionVersion, VersionFrame } from "@sightline/core/decisions";
import type { KeyFrameDecision, KeyFrameSelection } from "@sightline/core/keyframes";
import type { HumanVerdict } from "@sightline/ui/human-mark";

/** One frame as the page shows it: the extractor's verdict on it, and what people said. */
export type ShownFrame = {
  frame: number;
  time_secs: number;
  /** Whether it is a key-frame of the version on screen. */
  kept: boolean;
  /** Null for a frame that the extractor never looked at. */
  decision: KeyFrameDecision | null;
  /** What the version says of it; null where it is a sampled frame that nobody spoke of. */
  person: VersionFrame | LeftFrame | null;
  /** What a person did to it; null when nobody did anything. */
  verdict: HumanVerdict | null;
};

/**
 * The sampled frames of a selection and the frames that people added, in presentation order.
 *
 * @param version  Null where the selection is only tried: it is shown as the extractor chose.
 */
export function listShown(selection: KeyFrameSelection, version: SelectionVersion | null): ShownFrame[] {
  if (version === null) {
    return selection.decisions.map((decision) => {
      const { frame, time_secs, kept } = decision;
      return { frame, time_secs, kept, decision, person: null, verdict: null };
    });
  }
  const decisions = new Map(selection.decisions.map((one) => [one.frame, one]));
  const kept = new Map(version.key_frames.map((one) => [one.frame, one]));
  const left_out = new Map(version.left_out.map((one) => [one.frame, one]));
  const frames = [...new Set([...decisions.keys(), ...kept.keys()])].sort((a, b) => a - b);
  return frames.map((frame) => {
    const decision = decisions.get(frame) ?? null;
    const key_frame = kept.get(frame);
    const left = left_out.get(frame);
    const person = key_frame ?? left ?? null;
    return {
      frame,
      time_secs: person?.time_secs ?? decision?.time_secs ?? 0,
      kept: key_frame !== undefined,
      decision,
      person,
      verdict: key_frame
        ? getKeptVerdict(key_frame)
        : left
          ? left.shifted_to === null
            ? "dropped"
            : "shifted"
          : null,
    };
  });
}

function getKeptVerdict({ origin, shifted_from, by }: VersionFrame): HumanVerdict | null {
  if (by === null) return null;
  if (shifted_from !== null) return "shifted";
  return origin === "person" ? "added" : "confirmed";
}

/** What a person did, as a sentence: "Dropped by Ana", "Shifted here from frame 60 by Ana". Null when nobody did. */
export function explainPerson({ person, verdict, kept }: ShownFrame): string | null {
  if (person?.by == null || verdict === null) return null;
  const { author } = person.by;
  switch (verdict) {
    case "confirmed":
      return `Confirmed by ${author}`;
    case "added":
      return `Added by ${author}`;
    case "dropped":
      return `Dropped by ${author}`;
    case "shifted":
      if (kept) return `Shifted here from frame ${(person as VersionFrame).shifted_from} by ${author}`;
      return `Shifted to frame ${(person as LeftFrame).shifted_to} by ${author}`;
  }
}
