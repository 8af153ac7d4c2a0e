import { z } from "zod";
import { BaseField, describeSelection, EvidenceFields, readFields, SelectionFields } from "./fields.ts";
import { ExchangeProblem, type KeyFrameExport, type ReadKeyFrames } from "./types.ts";

const FORMAT = "sightline-keyframes";

/** What a selection is, in full: it lies beside a key-frame video, and says which of its pictures is which frame. */
export function writeProvenance(held: KeyFrameExport): string {
  const { frames, width, height, fps } = held;
  const about = { format: FORMAT, format_version: 1, frame_base: 0, ...describeSelection(held) };
  return `${JSON.stringify({ ...about, width, height, fps, frames }, null, 1)}\n`;
}

const Provenance = z.object({
  format: z.literal(FORMAT),
  format_version: z.int(),
  frames: z.array(z.unknown()),
});
const Frame = z.object({ frame: z.int(), time_secs: z.number() });

/** True for what `writeProvenance` writes. */
export function isProvenance(value: unknown): boolean {
  return typeof value === "object" && value !== null && "format" in value && value.format === FORMAT;
}

/** @throws ExchangeProblem that names the frame. */
export function readProvenance(value: unknown): ReadKeyFrames {
  const { format_version, frames } = readFields(Provenance, value, "file");
  if (format_version !== 1)
    throw new ExchangeProblem(
      `The file is of version ${format_version}; this Sightline reads version 1. Update Sightline, then import it.`,
    );
  const about = readFields(SelectionFields, value, "file");
  const { frame_base } = readFields(BaseField, value, "file");
  return {
    format: "sightline",
    clips: [
      {
        ...about,
        base: frame_base,
        frames: frames.map((one, at) => {
          const where = `key-frame ${at + 1}`;
          const { frame: number, time_secs } = readFields(Frame, one, where);
          return { number, time_secs, where, ...readFields(EvidenceFields, one, where) };
        }),
      },
    ],
  };
}
