import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toClipKey } from "@sightline/core/benchmarks";
import { type ImportedAction, StatedActionSchema } from "@sightline/core/decisions";
import {
  BaseUnknown,
  changesSomething,
  differFrames,
  type ExchangedFrame,
  ExchangeProblem,
  type FrameBase,
  type ImportEntry,
  type ImportFault,
  type ImportOutcome,
  type ImportPreview,
  placeFrames,
  type ReadClip,
} from "@sightline/core/exchange";
import { hashSettings } from "@sightline/core/keyframes";
import { TRPCError } from "@trpc/server";
import type { ExchangeParts } from "./index.ts";
import { type HandedFile, type ReadFiles, readFiles } from "./read-files.ts";
import { bringInVideo, countPictures } from "./videos.ts";

/** How a person wants handed files to be read. */
export type ImportWish = {
  import_id: string;
  /** The clip and selection that the person is at: for a file that names no clip, and no settings. */
  clip_id?: string | undefined;
  settings_hash?: string | undefined;
  /** What frames count from, where a file does not say. */
  base?: FrameBase | undefined;
};

/** Files of key-frames on their way in: handed over, looked at, taken in, taken back. */
export type Imports = {
  /** Where a handed file is to be written; `take` makes it part of the import. */
  place(import_id: string): Promise<{ file: string; take(path: string): Promise<void> }>;
  /** What the files would change. Nothing is changed. */
  preview(wish: ImportWish): Promise<ImportPreview>;
  /**
   * Makes a new version of each clip's key-frames, of all or of none.
   *
   * @param versions  By clip: the newest version when the person looked; it must be so still.
   * @throws TRPCError CONFLICT when key-frames were changed meanwhile.
   */
  apply(wish: ImportWish, versions: Readonly<Record<string, number>>): Promise<ImportOutcome>;
  /** Takes back what an import made: again a new version of each. */
  undo(made: ImportOutcome["made"]): void;
  forget(import_id: string): Promise<void>;
};

type Staged = { files: HandedFile[]; read: Promise<ReadFiles> | null; ids: Map<string, string> };

const MOST_FILES = 2000;
/** Imports that were begun and never ended are kept so many; older ones go. */
const KEPT = 16;
const MAX_SOURCE = 200;

/** @param folder  Of its own; what an earlier server left in it goes. */
export function createImports(parts: ExchangeParts, folder: string): Imports {
  const { clips, keyframes, decisions } = parts;
  const { library } = clips;
  rmSync(folder, { recursive: true, force: true });
  const staged = new Map<string, Staged>();

  const find = (import_id: string): Staged => {
    const found = staged.get(import_id);
    if (found === undefined)
      throw new TRPCError({
        code: "NOT_FOUND",
        message: "These files are not here any more. Choose them again.",
      });
    return found;
  };

  const forget = async (import_id: string) => {
    staged.delete(import_id);
    await rm(join(folder, import_id), { recursive: true, force: true });
  };

  const read = (import_id: string): Promise<ReadFiles> => {
    const one = find(import_id);
    if (one.read !== null) return one.read;
    const reading = readFiles(one.files, join(folder, import_id));
    one.read = reading;
    // A disk that was full may have room when the files are looked at again.
    reading.catch(() => {
      if (one.read === reading) one.read = null;
    });
    return reading;
  };

  /** @throws ExchangeProblem when the library has no such clip, or several. */
  const findClip = ({ clip_id, clip_name }: ReadClip, at: string | undefined, isOnly: boolean) => {
    const all = library.list({ trash: false });
    const same = all.find((clip) => clip.clip_id === clip_id);
    if (same) return same;
    const named = clip_name === null ? [] : findByName(all, clip_name);
    const here = all.find((clip) => clip.clip_id === at);
    if (here && (named.includes(here) || (clip_name === null && isOnly))) return here;
    if (named.length === 1 && named[0]) return named[0];
    if (named.length > 1)
      throw new ExchangeProblem(
        `There are ${named.length} clips of this name. Open the one that is meant and import the file there.`,
      );
    throw new ExchangeProblem(
      clip_name === null
        ? "The file does not say of which clip it is. Open the clip and import the file there."
        : "There is no such clip in the library. Add it, then import the file again.",
    );
  };

  const findSelection = (clip_id: string, hashes: readonly (string | null | undefined)[]): string => {
    const saved = keyframes.getSaved(clip_id);
    const known = [...hashes, saved === null ? null : hashSettings(saved)];
    const hash = known.find((one) => one && keyframes.getStored(clip_id, one) !== null);
    if (!hash) throw new ExchangeProblem("The clip has no saved key-frames yet. Extract them first.");
    return hash;
  };

  const look = (
    wish: ImportWish,
    source: string,
    format: ImportEntry["format"],
    clip: ReadClip,
    isOnly: boolean,
  ) => {
    const { clip_id, name } = findClip(clip, wish.clip_id, isOnly);
    const { time_secs } = library.getFrames(clip_id);
    const at = wish.clip_id === clip_id ? wish.settings_hash : null;
    const settings_hash = findSelection(clip_id, [clip.settings_hash, at]);
    const wanted = clip.base === null ? (wish.base ?? null) : null;
    const placed = placeFrames(clip, { clip_id, name, time_secs: Array.from(time_secs) }, wanted);
    const now = decisions.getVersion(clip_id, settings_hash);
    const frames = placed.frames.map(({ frame }) => frame);
    const actions = listActions(placed.frames);
    const called = new Map(now.key_frames.map(({ frame, action }) => [frame, action]));
    const renamed = actions.filter(({ frame, from_frame, action }) => {
      const here = called.get(frame) ?? null;
      return here?.action !== action || here.from_frame !== from_frame;
    });
    const difference = differFrames(
      now.key_frames.map(({ frame }) => frame),
      frames,
    );
    const { base, base_from } = placed;
    const versions = { version: now.version, file_version: clip.version };
    const about = { clip_id, clip_name: name, settings_hash, source, format, base, base_from };
    const entry: ImportEntry = {
      ...about,
      ...versions,
      ...difference,
      actions: renamed.map(({ frame }) => frame),
    };
    return { frames, actions: actions.map(({ frame, action }) => ({ frame, action })), entry };
  };

  /** What is known of handed files, with the frames that each entry stands for. */
  const lookAtAll = async (wish: ImportWish) => {
    const { read: found, faults: broken, videos, remarks } = await read(wish.import_id);
    const faults: ImportFault[] = broken.map((one) => ({ ...one, clip_name: null, needs_base: false }));
    const entries: { frames: number[]; actions: ImportedAction[]; entry: ImportEntry }[] = [];
    for (const { source, keyframes: file } of found) {
      for (const clip of file.clips) {
        try {
          const looked = look(wish, source, file.format, clip, file.clips.length === 1);
          const twin = entries.find(({ entry }) => entry.clip_id === looked.entry.clip_id);
          if (twin)
            throw new ExchangeProblem(
              `“${looked.entry.clip_name}” was given before, by ${twin.entry.source}. Import one of them.`,
            );
          entries.push(looked);
        } catch (error) {
          if (!(error instanceof ExchangeProblem) && !(error instanceof TRPCError)) throw error;
          const needs_base = error instanceof BaseUnknown;
          faults.push({ source, clip_name: clip.clip_name, problem: error.message, needs_base });
        }
      }
    }
    return { entries, faults, videos, remarks };
  };

  return {
    async place(import_id) {
      const one: Staged = staged.get(import_id) ?? { files: [], read: null, ids: new Map() };
      staged.set(import_id, one);
      for (const old of [...staged.keys()].slice(0, Math.max(0, staged.size - KEPT))) await forget(old);
      if (one.files.length >= MOST_FILES)
        throw new TRPCError({
          code: "PAYLOAD_TOO_LARGE",
          message: `At most ${MOST_FILES} files can be imported at once.`,
        });
      const own = join(folder, import_id);
      await mkdir(own, { recursive: true });
      const draft = join(own, `${randomUUID()}.part`);
      return {
        file: draft,
        async take(path) {
          const file = draft.replace(/\.part$/, "");
          await rename(draft, file);
          one.files.push({ path, file });
          one.read = null;
        },
      };
    },
    async preview(wish) {
      const { entries, faults, videos, remarks } = await lookAtAll(wish);
      const lost: ImportPreview["lost"] = [];
      for (const { path, file } of videos) {
        try {
          lost.push({ source: path, pictures: await countPictures(clips.pool, file) });
        } catch (error) {
          const problem = error instanceof Error ? error.message : String(error);
          faults.push({ source: path, clip_name: null, problem, needs_base: false });
        }
      }
      return { import_id: wish.import_id, entries: entries.map(({ entry }) => entry), faults, lost, remarks };
    },
    async apply(wish, versions) {
      const { entries, videos } = await lookAtAll(wish);
      const { ids } = find(wish.import_id);
      for (const { entry } of entries) {
        if (versions[entry.clip_id] !== undefined && versions[entry.clip_id] !== entry.version)
          throw new TRPCError({
            code: "CONFLICT",
            message: `The key-frames of “${entry.clip_name}” were changed meanwhile. Look at the preview again, then import.`,
          });
      }
      const changing = entries.filter(({ entry }) => changesSomething(entry));
      // First what can fail: without room on the disk nothing is decided.
      for (const video of videos) await bringInVideo(parts, video);
      const made = decisions.decideAll(
        changing.map(({ frames, actions, entry: { clip_id, settings_hash, source } }) => {
          const decision_id = ids.get(clip_id) ?? randomUUID();
          ids.set(clip_id, decision_id);
          const decided = { kind: "import", frames, source: source.slice(-MAX_SOURCE), actions } as const;
          return { decision_id, clip_id, settings_hash, decided };
        }),
      );
      return {
        made: made.map(({ decision_id, clip_id, settings_hash, version }) => ({
          decision_id,
          clip_id,
          settings_hash,
          version,
        })),
        videos: videos.length,
      };
    },
    undo(made) {
      decisions.decideAll(
        made.map(({ decision_id, clip_id, settings_hash }) => ({
          decision_id: randomUUID(),
          clip_id,
          settings_hash,
          decided: { kind: "undo", undoes: decision_id } as const,
        })),
      );
    },
    forget,
  };
}

/** What people called the ways between key-frames that follow each other in the file as they did when it was written. */
function listActions(frames: readonly ExchangedFrame[]) {
  return frames.flatMap(({ frame, action, action_by, action_from: from_frame }, at) => {
    const stated = StatedActionSchema.safeParse(action);
    const stands = at > 0 && from_frame === frames[at - 1]?.frame;
    return action_by === "person" && stated.success && stands
      ? [{ frame, from_frame, action: stated.data }]
      : [];
  });
}

function findByName<T extends { name: string }>(clips: readonly T[], name: string): T[] {
  const exact = clips.filter((clip) => clip.name === name);
  if (exact.length > 0) return exact;
  const key = toClipKey(name);
  return key === null ? [] : clips.filter((clip) => toClipKey(clip.name) === key);
}
