import type { Clip } from "@sightline/core/clips";
import type { SelectionVersion, VersionFrame } from "@sightline/core/decisions";
import type { ExchangedFrame, KeyFrameExport } from "@sightline/core/exchange";
import { EXTRACTOR_VERSION, type KeyFrameDecision, type KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";

/** What is known of one version of a clip's key-frames. */
export type Known = {
  clip: Clip;
  time_secs: ArrayLike<number>;
  selection: KeyFrameSelection;
  version: SelectionVersion;
  /** Geometry's word on the way to each key-frame of the version, in their order; null where it is not known. */
  motions: readonly (Motion | null)[] | null;
};

/** Puts what is known of a version together as it travels. */
export function collectExport({ clip, time_secs, selection, version, motions }: Known): KeyFrameExport {
  const last = time_secs[time_secs.length - 1] ?? 0;
  const decisions = new Map(selection.decisions.map((decision) => [decision.frame, decision]));
  const said = [version.imported, ...version.in_force];
  return {
    clip_id: clip.clip_id,
    clip_name: clip.name,
    frame_count: time_secs.length,
    width: clip.display_width ?? 0,
    height: clip.display_height ?? 0,
    fps: last > 0 ? (time_secs.length - 1) / last : null,
    version: version.version,
    settings: selection.settings,
    settings_hash: selection.settings_hash,
    extractor_version: EXTRACTOR_VERSION,
    authors: [...new Set(said.flatMap((by) => (by === null ? [] : [by.author])))],
    frames: version.key_frames.map((key_frame, at) => {
      const motion = motions?.[at] ?? null;
      const before = version.key_frames[at - 1]?.frame ?? null;
      return toFrame(key_frame, decisions.get(key_frame.frame) ?? null, motion, before);
    }),
  };
}

function toFrame(
  { frame, time_secs, origin, action }: VersionFrame,
  decision: KeyFrameDecision | null,
  motion: Motion | null,
  before: number | null,
): ExchangedFrame {
  const { evidence = null } = decision ?? {};
  const word =
    action !== null && action.action !== null
      ? { action: action.action, action_by: "person" as const }
      : { action: motion?.action ?? null, action_by: motion === null ? null : ("geometry" as const) };
  return {
    frame,
    time_secs,
    origin,
    rule: decision?.rule ?? null,
    overlap: decision?.overlap ?? null,
    matches: evidence?.matches ?? null,
    inliers: evidence?.inliers ?? null,
    ...word,
    action_from: word.action === null ? null : before,
  };
}
