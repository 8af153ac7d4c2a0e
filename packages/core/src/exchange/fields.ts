import { z } from "zod";
import { ExchangeProblem, type FrameBase, type FrameEvidence, type KeyFrameExport } from "./types.ts";

/*
 * What of a selection is the same in every format: the names of its fields, and how they are read back.
 */

/** Of the clip and the version, without its frames. */
export function describeSelection(held: KeyFrameExport) {
  const { clip_id, clip_name, frame_count, version, settings_hash, settings, extractor_version, authors } =
    held;
  return { clip_name, clip_id, frame_count, version, settings_hash, extractor_version, settings, authors };
}

const orNull = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null);

/** The fields of a selection that an import looks at; a file made elsewhere may lack any. */
export const SelectionFields = z.object({
  clip_name: orNull(z.string()),
  clip_id: orNull(z.string()),
  frame_count: orNull(z.int().positive()),
  version: orNull(z.int().nonnegative()),
  settings_hash: orNull(z.string()),
});

/** The evidence of a frame; a file made elsewhere may lack any of it. */
export const EvidenceFields = z.object({
  origin: orNull(z.enum(["extractor", "person"])),
  rule: orNull(z.string()),
  overlap: orNull(z.number()),
  matches: orNull(z.int()),
  inliers: orNull(z.int()),
  action: orNull(z.string()),
  action_by: orNull(z.enum(["geometry", "person"])),
  action_from: orNull(z.int()),
});

export const TimeField = z.object({ time_secs: orNull(z.number()) });

export const BaseField = z.object({ frame_base: orNull(z.literal([0, 1])) });

/** A frame's evidence alone, as a file has it whose frames count from `base`. */
export function pickEvidence(frame: FrameEvidence, base: FrameBase): FrameEvidence {
  const { origin, rule, overlap, matches, inliers, action, action_by } = frame;
  const action_from = frame.action_from === null ? null : frame.action_from + base;
  return { origin, rule, overlap, matches, inliers, action, action_by, action_from };
}

/** Of a frame on which the file says nothing but that it is a key-frame. */
export const NO_EVIDENCE: FrameEvidence = {
  origin: null,
  rule: null,
  overlap: null,
  matches: null,
  inliers: null,
  action: null,
  action_by: null,
  action_from: null,
};

/** @throws ExchangeProblem that names the place and the first field that is not as it should be. */
export function readFields<T extends z.ZodType>(type: T, value: unknown, where: string): z.output<T> {
  const read = type.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new ExchangeProblem(
    `${where}: ${field === "" ? "" : `“${field}”: `}${issue?.message ?? "not as it should be"}.`,
  );
}

/**
 * A number written as text: of CSV and of XML.
 *
 * @returns Null for an empty field.
 * @throws ExchangeProblem for anything else that is no number.
 */
export function readNumber(text: string | undefined, field: string, where: string): number | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed))
    throw new ExchangeProblem(`${where}: “${field}” is “${trimmed.slice(0, 40)}”, not a number.`);
  return Number(trimmed);
}

/** @throws ExchangeProblem unless it is a whole number. */
export function readWhole(text: string | undefined, field: string, where: string): number | null {
  const value = readNumber(text, field, where);
  if (value !== null && !Number.isSafeInteger(value))
    throw new ExchangeProblem(`${where}: “${field}” is ${text?.trim()}, not a whole number.`);
  return value;
}

/** @throws ExchangeProblem unless it is 0, 1 or empty. */
export function readBase(text: string | undefined, where: string): 0 | 1 | null {
  const base = readWhole(text, "frame_base", where);
  if (base === null || base === 0 || base === 1) return base;
  throw new ExchangeProblem(`${where}: “frame_base” is ${base}; frames count from 0 or from 1.`);
}

/** Evidence written as text. @throws ExchangeProblem for what is not what its name says. */
export function readTextEvidence(
  get: (field: keyof FrameEvidence) => string | undefined,
  where: string,
): FrameEvidence {
  const word = (field: keyof FrameEvidence) => get(field)?.trim() || null;
  return readFields(
    EvidenceFields,
    {
      origin: word("origin"),
      rule: word("rule"),
      overlap: readNumber(get("overlap"), "overlap", where),
      matches: readWhole(get("matches"), "matches", where),
      inliers: readWhole(get("inliers"), "inliers", where),
      action: word("action"),
      action_by: word("action_by"),
      action_from: readWhole(get("action_from"), "action_from", where),
    },
    where,
  );
}
