import { describeEmbedded, type Perceiver } from "@sightline/core/perception";
import type { DetectedFrame } from "../../../workers/detect.ts";
import type { Perceive } from "./perceiver.ts";

type Embedded = Extract<Perceiver, { kind: "embedded" }>;

export type DetectObjects = (
  clip_id: string,
  frames: number[],
  signal: AbortSignal,
  report: (done: number) => void,
) => Promise<DetectedFrame[]>;

/** Geometry and the small detector: no network. */
export function createEmbeddedPerceiver(detect: DetectObjects): Perceive<Embedded> {
  return async ({ clip_id, selection, key_frames, missing, question, motions, signal, report, put }) => {
    const frames = key_frames.map(({ frame }) => frame);
    const found = await detect(clip_id, frames, signal, report);
    const moved = await motions();
    const seen = new Map(found.map((one) => [one.frame, one]));
    const evidence = new Map(selection?.decisions.map((one) => [one.frame, one.evidence]));
    const { plane_width: width = null, plane_height: height = null } = selection ?? {};
    const described = describeEmbedded(
      key_frames.map(({ frame, time_secs }, index) => ({
        frame,
        time_secs,
        seen: seen.get(frame) ?? null,
        motion: moved[index] ?? null,
        evidence: evidence.get(frame) ?? null,
      })),
      width === null || height === null ? null : { width, height },
      question,
    );
    for (const index of missing) {
      const triple = described[index];
      if (triple === undefined) continue;
      const { action, change, relevant, raw, problems } = triple;
      put(index, { action, change, relevant, raw, problems });
    }
  };
}
