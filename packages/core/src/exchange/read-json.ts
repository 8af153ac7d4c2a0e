import { isLabelStudio, readLabelStudio } from "./label-studio.ts";
import { isProvenance, readProvenance } from "./sightline.ts";
import { ExchangeProblem, type ReadKeyFrames } from "./types.ts";

/** True for the released code's rows of questions, which number key-frames 0, 1, 2 … and name no frame of the clip. */
export function isReleasedRows(value: unknown): boolean {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [];
  return typeof first === "object" && first !== null && "video_id" in first && "question" in first;
}

/**
 * Reads key-frames of a JSON document: Label Studio's tasks, or what lies beside a key-frame video.
 *
 * @throws ExchangeProblem when it is neither.
 */
export function readJson(value: unknown): ReadKeyFrames {
  if (isProvenance(value)) return readProvenance(value);
  if (isLabelStudio(value)) return readLabelStudio(value);
  const has = (name: string) => typeof value === "object" && value !== null && name in value;
  if (has("samples") || has("frames"))
    throw new ExchangeProblem(
      "This is half of a FiftyOne dataset. Choose samples.json and frames.json together, or the folder zipped.",
    );
  throw new ExchangeProblem(
    "This JSON is neither Label Studio's list of tasks nor Sightline's own. Export it as one of the formats of the guide.",
  );
}
