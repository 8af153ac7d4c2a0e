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
import { ExchangeProblem, type KeyFrameExport, type ReadFrame, type ReadKeyFrames } from "./types.ts";

const LABEL = "keyframe";

/** Tasks with a timeline label a key-frame; Label Studio counts frames from 1, and a range holds both its ends. */
export function writeLabelStudio(exports: readonly KeyFrameExport[]): string {
  const tasks = exports.map((held) => ({
    data: { video: held.clip_name, fps: held.fps, frame_base: 1, ...describeSelection(held) },
    annotations: [
      {
        result: held.frames.map(({ frame, time_secs, ...evidence }) => ({
          id: `k${frame}`,
          type: "timelinelabels",
          from_name: "videoLabels",
          to_name: "video",
          origin: evidence.origin === "person" ? "manual" : "prediction",
          value: { ranges: [{ start: frame + 1, end: frame + 1 }], timelinelabels: [LABEL] },
          meta: { time_secs, ...pickEvidence(evidence) },
        })),
      },
    ],
    predictions: [],
  }));
  return `${JSON.stringify(tasks, null, 1)}\n`;
}

const Result = z.object({
  type: z.string().optional(),
  value: z
    .object({
      ranges: z.array(z.object({ start: z.int(), end: z.int() })).optional(),
      timelinelabels: z.array(z.string()).optional(),
    })
    .optional(),
  meta: z.looseObject({}).optional(),
});

const Task = z.object({
  data: z.looseObject({ video: z.string().nullish() }),
  annotations: z.array(z.object({ result: z.array(z.unknown()) })).default([]),
});

/** True for what looks like Label Studio's: a list of tasks with `data`. */
export function isLabelStudio(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : null;
  return typeof first === "object" && first !== null && "data" in first && !("frames" in first);
}

/**
 * Reads the timeline labels `keyframe` of the tasks' annotations. Frames count from 1 where a task does not say otherwise.
 *
 * @throws ExchangeProblem that names the task and the label.
 */
export function readLabelStudio(value: unknown): ReadKeyFrames {
  const tasks = readFields(z.array(z.unknown()), value, "file");
  const clips = tasks.map((one, at) => {
    const where = `task ${at + 1}`;
    const { data, annotations } = readFields(Task, one, where);
    if (annotations.length > 1)
      throw new ExchangeProblem(
        `${where}: ${annotations.length} annotations. Keep the one that should count, then import the file.`,
      );
    const about = readFields(SelectionFields, data, where);
    const { frame_base } = readFields(BaseField, data, where);
    const results = annotations.flatMap(({ result }) => result);
    return {
      ...about,
      clip_name: about.clip_name ?? data.video?.split(/[\\/]/).at(-1) ?? null,
      base: frame_base ?? (1 as const),
      frames: results.flatMap((result, index) => readResult(result, `${where}, label ${index + 1}`)),
    };
  });
  return { format: "label-studio", clips };
}

function readResult(result: unknown, where: string): ReadFrame[] {
  const { value, meta } = readFields(Result, result, where);
  if (!value?.timelinelabels?.includes(LABEL)) return [];
  const evidence = readFields(EvidenceFields, meta ?? {}, where);
  const { time_secs } = readFields(TimeField, meta ?? {}, where);
  return (value.ranges ?? []).map(({ start, end }) => {
    if (start !== end)
      throw new ExchangeProblem(
        `${where}: frames ${start} to ${end}; a key-frame is one frame. Shorten the range to it.`,
      );
    return { number: start, time_secs, where, ...evidence };
  });
}
