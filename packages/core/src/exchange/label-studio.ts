import { z } from "zod";
import {
  BaseField,
  describeSelection,
  EvidenceFields,
  NO_EVIDENCE,
  pickEvidence,
  readFields,
  SelectionFields,
  TimeField,
} from "./fields.ts";
import {
  ExchangeProblem,
  type FrameBase,
  type KeyFrameExport,
  type ReadFrame,
  type ReadKeyFrames,
} from "./types.ts";

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
          meta: { frame: frame + 1, time_secs, ...pickEvidence(evidence, 1) },
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

/** The frame that `meta` was written for; files of before lack it. */
const MetaFrame = z.object({ frame: z.int().nullish() });

const Task = z.object({
  data: z.looseObject({
    video: z.string().nullish(),
    fps: z.coerce.number().positive().nullable().catch(null),
  }),
  annotations: z
    .array(z.object({ result: z.array(z.unknown()), was_cancelled: z.boolean().nullish() }))
    .default([]),
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
    const { data, annotations: all } = readFields(Task, one, where);
    const annotations = all.filter(({ was_cancelled }) => was_cancelled !== true);
    if (annotations.length > 1)
      throw new ExchangeProblem(
        `${where}: ${annotations.length} annotations. Keep the one that should count, then import the file.`,
      );
    const about = readFields(SelectionFields, data, where);
    const { frame_base } = readFields(BaseField, data, where);
    const results = annotations.flatMap(({ result }) => result);
    const base = frame_base ?? 1;
    const clock = { base, fps: data.fps };
    return {
      ...about,
      clip_name: about.clip_name ?? data.video?.split(/[\\/]/).at(-1) ?? null,
      base,
      frames: results.flatMap((result, index) => readResult(result, clock, `${where}, label ${index + 1}`)),
    };
  });
  return { format: "label-studio", clips };
}

/**
 * A label that was set or moved there has no time of its own: it stands where Label Studio showed it, at its number over
 * the one rate of the task. What its `meta` says is of the frame where it stood before.
 */
function readResult(
  result: unknown,
  { base, fps }: { base: FrameBase; fps: number | null },
  where: string,
): ReadFrame[] {
  const { value, meta } = readFields(Result, result, where);
  if (!value?.timelinelabels?.includes(LABEL)) return [];
  const said = {
    ...readFields(EvidenceFields, meta ?? {}, where),
    ...readFields(TimeField, meta ?? {}, where),
  };
  const { frame = null } = readFields(MetaFrame, meta ?? {}, where);
  return (value.ranges ?? []).map(({ start, end }) => {
    if (start !== end)
      throw new ExchangeProblem(
        `${where}: frames ${start} to ${end}; a key-frame is one frame. Shorten the range to it.`,
      );
    if (said.time_secs !== null && (frame ?? start) === start) return { number: start, where, ...said };
    return { ...NO_EVIDENCE, number: start, time_secs: fps === null ? null : (start - base) / fps, where };
  });
}
