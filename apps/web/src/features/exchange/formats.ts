import type { ExchangeFormat } from "@sightline/core/exchange";

export type ExportFormat = Exclude<ExchangeFormat, "sightline">;

type FormatWords = { label: string; base: string; description: string };

/** What a person reads of each format before choosing it. */
export const FORMATS: Record<ExportFormat, FormatWords> = {
  released: {
    label: "Released layout",
    base: "pictures only, ordinals from 0 beside them",
    description:
      "video_keyframe: a playable video of one key-frame a second, what it was made of as JSON beside it, and the processed JSON where triples were made of these key-frames. A zip file.",
  },
  csv: {
    label: "CSV",
    base: "frames count from 0",
    description: "A row a key-frame with time, reason, evidence, action and version; notes stay here.",
  },
  cvat: {
    label: "CVAT for images 1.1",
    base: "frames count from 0",
    description: "An image a key-frame with the tag “keyframe”. XML, one file a clip, without pictures.",
  },
  "label-studio": {
    label: "Label Studio",
    base: "frames count from 1",
    description: "A task a clip with timeline labels. JSON, without media.",
  },
  fiftyone: {
    label: "FiftyOne",
    base: "frames count from 1",
    description: "A dataset folder with frame labels, to which the videos are added under data/. A zip file.",
  },
};

/** A format's name, also of what only an import meets. */
export function nameFormat(format: ExchangeFormat): string {
  return format === "sightline" ? "Sightline's JSON" : FORMATS[format].label;
}
