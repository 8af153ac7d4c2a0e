import { z } from "zod";
import {
  BaseField,
  describeSelection,
  EvidenceFields,
  pickEvidence,
  readFields,
  SelectionFields,
  TimeField,
} from "./fields.ts";
import { FIFTYONE_DATASET } from "./fiftyone-schema.ts";
import { parseJson } from "./json.ts";
import { ExchangeProblem, type KeyFrameExport, type ReadClip, type ReadKeyFrames } from "./types.ts";

/** The files of a FiftyOne dataset folder that say something of its frames. */
export type FiftyOneFiles = { "samples.json": string; "frames.json": string };

/** An id of 24 hex digits, the same for the same clip and frame. */
function makeId(clip_id: string, number: number): { $oid: string } {
  return { $oid: clip_id.slice(0, 16) + number.toString(16).padStart(8, "0") };
}

/**
 * A FiftyOne dataset folder without its media, which belong in `data/`: a sample a clip, a document a key-frame with the
 * classification `keyframe`. FiftyOne counts frames from 1.
 */
export function writeFiftyOne(
  exports: readonly KeyFrameExport[],
): FiftyOneFiles & { "metadata.json": string } {
  const samples = exports.map((held) => ({
    _id: makeId(held.clip_id, 0),
    filepath: `data/${held.clip_name}`,
    tags: [],
    _media_type: "video",
    frame_base: 1,
    ...describeSelection(held),
  }));
  const frames = exports.flatMap((held) =>
    held.frames.map(({ frame, time_secs, ...evidence }) => ({
      _id: makeId(held.clip_id, frame + 1),
      _sample_id: makeId(held.clip_id, 0),
      frame_number: frame + 1,
      keyframe: {
        _id: makeId(held.clip_id, frame + 1),
        _cls: "Classification",
        tags: [],
        label: "keep",
        time_secs,
        ...pickEvidence(evidence, 1),
      },
    })),
  );
  const write = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;
  return {
    "metadata.json": write(FIFTYONE_DATASET),
    "samples.json": write({ samples }),
    "frames.json": write({ frames }),
  };
}

const Oid = z.union([z.object({ $oid: z.string() }).transform(({ $oid }) => $oid), z.string()]);
const Samples = z.object({
  samples: z.array(z.looseObject({ _id: Oid, filepath: z.string() })),
});
const Frames = z.object({ frames: z.array(z.unknown()) });
const Frame = z.object({
  _sample_id: Oid,
  frame_number: z.int(),
  keyframe: z.looseObject({ label: z.string() }).nullish(),
});

/**
 * Reads the frames whose classification `keyframe` is `keep`; frames count from 1.
 *
 * @throws ExchangeProblem that names the file and the sample or frame.
 */
export function readFiftyOne(files: FiftyOneFiles): ReadKeyFrames {
  const read = (name: keyof FiftyOneFiles) => {
    try {
      return parseJson(files[name]);
    } catch (error) {
      if (error instanceof ExchangeProblem) throw new ExchangeProblem(`${name}, ${error.message}`);
      throw error;
    }
  };
  const { samples } = readFields(Samples, read("samples.json"), "samples.json");
  const { frames } = readFields(Frames, read("frames.json"), "frames.json");
  const clips = new Map<string, ReadClip>();
  for (const [at, sample] of samples.entries()) {
    const where = `samples.json, sample ${at + 1}`;
    if (clips.has(sample._id)) throw new ExchangeProblem(`${where}: its id is another sample's.`);
    const about = readFields(SelectionFields, sample, where);
    clips.set(sample._id, {
      ...about,
      clip_name: about.clip_name ?? sample.filepath.split(/[\\/]/).at(-1) ?? null,
      base: readFields(BaseField, sample, where).frame_base ?? 1,
      frames: [],
    });
  }
  for (const [at, value] of frames.entries()) {
    const where = `frames.json, frame document ${at + 1}`;
    const frame = readFields(Frame, value, where);
    const clip = clips.get(frame._sample_id);
    if (clip === undefined)
      throw new ExchangeProblem(`${where}: its sample ${frame._sample_id} is not in samples.json.`);
    if (frame.keyframe?.label !== "keep") continue;
    clip.frames.push({
      number: frame.frame_number,
      where,
      ...readFields(TimeField, frame.keyframe, where),
      ...readFields(EvidenceFields, frame.keyframe, where),
    });
  }
  return { format: "fiftyone", clips: [...clips.values()] };
}
