import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { toReleasedRow } from "@sightline/core/benchmarks";
import type { Job } from "@sightline/core/clips";
import type { SelectionVersion } from "@sightline/core/decisions";
import type { ExportEntry, ExportPlan, KeyFrameExport } from "@sightline/core/exchange";
import { hashSettings, type KeyFrameSelection } from "@sightline/core/keyframes";
import type { TripleSet } from "@sightline/core/perception";
import { formatQuestion, formatVideoText } from "@sightline/core/perception";
import { TRPCError } from "@trpc/server";
import { collectExport } from "./collect.ts";
import type { ExchangeParts } from "./index.ts";
import { type ExportFormat, nameExport, writeExport } from "./write-files.ts";

/** One clip of an export; by default what was saved last, in its newest version. */
export type ExportChoice = {
  clip_id: string;
  settings_hash?: string | undefined;
  version?: number | undefined;
};

/** A file that was asked for. */
export type ExportFile = { export_id: string; name: string };

/** Exports of key-frames: planned, made as jobs, fetched by their id. */
export type Exports = {
  plan(choices: readonly ExportChoice[]): ExportPlan;
  /**
   * Begins an export of what the plan holds.
   *
   * @throws TRPCError PRECONDITION_FAILED when no clip has key-frames.
   */
  start(choices: readonly ExportChoice[], format: ExportFormat): ExportFile & { job: Job };
  /** @throws TRPCError NOT_FOUND when there is none, or it is not there yet. */
  getFile(export_id: string): { file: string; name: string };
};

/** Exports that are kept to be fetched; older ones go. */
const KEPT = 8;

/** @param folder  Of its own; what an earlier server left in it goes. */
export function createExports(parts: ExchangeParts, folder: string): Exports {
  const { clips, keyframes, decisions, questions, triples, jobs } = parts;
  rmSync(folder, { recursive: true, force: true });
  const made = new Map<string, { file: string; name: string }>();

  const find = ({ clip_id, settings_hash, version }: ExportChoice) => {
    const clip = clips.library.get(clip_id);
    const saved = keyframes.getSaved(clip_id);
    const hash = settings_hash ?? (saved === null ? null : hashSettings(saved));
    const selection = hash === null ? null : keyframes.getStored(clip_id, hash);
    if (selection === null)
      throw new TRPCError({ code: "PRECONDITION_FAILED", message: "It has no saved key-frames yet." });
    const held = decisions.getVersion(clip_id, selection.settings_hash, version);
    if (held.key_frames.length === 0)
      throw new TRPCError({ code: "PRECONDITION_FAILED", message: "Its selection has no key-frame." });
    return { clip, selection, version: held };
  };

  const listTripleSets = (selection: KeyFrameSelection, version: SelectionVersion): TripleSet[] => {
    const wanted = version.key_frames.map(({ frame }) => frame).join(" ");
    return triples
      .list(selection.clip_id)
      .filter(({ state, key_frames }) => state === "done" && key_frames === version.key_frames.length)
      .map(({ triple_set_id }) => triples.get(triple_set_id))
      .filter((set) => set.triples.map(({ frame }) => frame).join(" ") === wanted);
  };

  /** Questions on a clip with the newest triples that were made for each, or for none in particular. */
  const describeQuestions = (selection: KeyFrameSelection, version: SelectionVersion) => {
    const sets = listTripleSets(selection, version);
    if (sets.length === 0) return [];
    return questions.listOfClip(selection.clip_id).flatMap((question) => {
      const row = toReleasedRow(question);
      const set =
        sets.find(({ question_id }) => question_id === question.question_id) ??
        sets.find(({ question_id }) => question_id === null);
      return row === null || set === undefined
        ? []
        : [
            {
              ...row,
              question: formatVideoText(set.triples, formatQuestion(question.text, question.options)),
            },
          ];
    });
  };

  const collect = async (entry: ExportEntry, signal: AbortSignal): Promise<KeyFrameExport> => {
    const known = find(entry);
    const { clip_id, settings_hash } = known.version;
    const frames = known.version.key_frames.map(({ frame }) => frame);
    const motions = await decisions.lookAtMotions(clip_id, settings_hash, frames, signal);
    return collectExport({ ...known, motions, time_secs: clips.library.getFrames(entry.clip_id).time_secs });
  };

  const plan: Exports["plan"] = (choices) => {
    const entries: ExportEntry[] = [];
    const left_out: ExportPlan["left_out"] = [];
    for (const choice of choices) {
      const { clip_id, name: clip_name } = clips.library.get(choice.clip_id);
      try {
        const { selection, version } = find(choice);
        entries.push({
          clip_id,
          clip_name,
          settings_hash: selection.settings_hash,
          version: version.version,
          key_frames: version.key_frames.length,
          described_questions: describeQuestions(selection, version).length,
        });
      } catch (error) {
        if (!(error instanceof TRPCError) || error.code !== "PRECONDITION_FAILED") throw error;
        left_out.push({ clip_id, clip_name, reason: error.message });
      }
    }
    return { entries, left_out };
  };

  const forgetOld = async () => {
    for (const [export_id] of [...made].slice(0, Math.max(0, made.size - KEPT))) {
      made.delete(export_id);
      await rm(join(folder, export_id), { recursive: true, force: true });
    }
  };

  return {
    plan,
    start(choices, format) {
      const { entries } = plan(choices);
      if (entries.length === 0)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: "None of these clips has saved key-frames. Extract them first.",
        });
      const export_id = randomUUID();
      const own = join(folder, export_id);
      const name = nameExport(entries, format);
      const [only] = entries;
      const about = {
        kind: "export",
        title: `Exporting key-frames of ${entries.length === 1 ? only?.clip_name : `${entries.length} clips`}`,
        clip_id: entries.length === 1 ? (only?.clip_id ?? null) : null,
      } as const;
      const { job, ended } = jobs.start(about, async ({ signal, begin, progress }) => {
        begin();
        await mkdir(own, { recursive: true });
        const pictures = entries.reduce((sum, { key_frames }) => sum + key_frames, 0);
        const total = entries.length + (format === "released" ? pictures : 0);
        let done = 0;
        const exports: KeyFrameExport[] = [];
        for (const entry of entries) {
          exports.push(await collect(entry, signal));
          progress(++done, total);
        }
        const file = join(own, "export");
        await writeExport(format, {
          exports,
          folder: own,
          out: file,
          signal,
          async writeVideo({ clip_id, frames }, out) {
            const { library, pool } = clips;
            const args = {
              file: library.getFile(clip_id),
              index: library.getFrames(clip_id),
              ordinals: frames.map(({ frame }) => frame),
              pixel_aspect: library.get(clip_id).pixel_aspect,
              out,
            };
            const onProgress = (written: number) => progress(done + written, total);
            await pool.run("key_frame_video", args, { lane: "background", signal, onProgress });
            done += frames.length;
            progress(done, total);
          },
          listProcessed({ clip_id, settings_hash, version }) {
            const known = find({ clip_id, settings_hash, version });
            return describeQuestions(known.selection, known.version);
          },
        });
        made.set(export_id, { file, name });
        await forgetOld();
      });
      ended
        .then(({ state }) => (state === "done" ? undefined : rm(own, { recursive: true, force: true })))
        .catch((error: unknown) => parts.log.error({ err: error }, "tidying an export away"));
      return { export_id, name, job };
    },
    getFile(export_id) {
      const found = made.get(export_id);
      if (!found)
        throw new TRPCError({
          code: "NOT_FOUND",
          message: "This export is not there, or not any more. Export the key-frames again.",
        });
      return found;
    },
  };
}
