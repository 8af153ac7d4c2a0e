import { parseJson } from "./json.ts";
import { isLabelStudio, readLabelStudio } from "./label-studio.ts";
import { isProvenance, readProvenance } from "./sightline.ts";
import { ExchangeProblem, type ReadKeyFrames } from "./types.ts";

/**
 * Reads a JSON file of key-frames: Label Studio's tasks, or what lies beside a key-frame video.
 *
 * @throws ExchangeProblem; for files of this kind that hold no key-frames it says where they belong.
 */
export function readJson(text: string): ReadKeyFrames {
  const value = parseJson(text);
  if (isProvenance(value)) return readProvenance(value);
  if (isLabelStudio(value)) return readLabelStudio(value);
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
  const has = (name: string) => typeof first === "object" && first !== null && name in first;
  if (has("samples") || (has("frames") && !has("data")))
    throw new ExchangeProblem(
      "This is half of a FiftyOne dataset. Choose samples.json and frames.json together, or the folder zipped.",
    );
  if (has("Question_id") || has("video_id"))
    throw new ExchangeProblem(
      "This is the released code's JSON of questions. It numbers key-frames 0, 1, 2 … without saying which frames of the clip they are: their original indices are lost.",
    );
  throw new ExchangeProblem(
    "This JSON is neither Label Studio's list of tasks nor Sightline's own. Export it as one of the formats of the guide.",
  );
}
