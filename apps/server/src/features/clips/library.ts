import { constants, existsSync } from "node:fs";
import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { Clip, SampleTable } from "@sightline/core/clips";
import { TRPCError } from "@trpc/server";
import { type Bell, createBell } from "../../live/follow.ts";
import { hashFile } from "../../media/hash.ts";
import type { FrameIndex } from "../../media/scan.ts";
import { getProxyFile } from "./proxies.ts";
import { type ClipRow, type ClipStore, type LibraryChange, toClip, toSampleTable } from "./store.ts";

/** A file on its way into the library. */
export type Incoming = {
  path: string;
  /** What the person calls the file. */
  name: string;
  /** True when the file is ours to move; false to copy it. */
  move: boolean;
};

/** What became of a file that was added. */
export type Added = {
  clip: Clip;
  /** True when the library knew these bytes already. */
  duplicate: boolean;
  /** A sentence for the person when the clip is not simply new; otherwise null. */
  note: string | null;
};

/** The clips of a data folder: what a person sees and changes of them. */
export type Library = {
  list(filter: { trash: boolean }): Clip[];
  get(clip_id: string): Clip;
  getSampleTable(clip_id: string): SampleTable;
  /** Where the frames lie, for decoding. */
  getFrames(clip_id: string): FrameIndex;
  /** The clip's folder; its file is `getFile`. */
  getFolder(clip_id: string): string;
  getFile(clip_id: string): string;
  add(incoming: Incoming): Promise<Added>;
  rename(clip_id: string, name: string): void;
  setTags(clip_id: string, tags: string[]): void;
  /** Horizontal, in degrees; null: as the pictures say, or as is assumed. */
  setFieldOfView(clip_id: string, field_of_view_deg: number | null): void;
  trash(clip_ids: string[]): void;
  restore(clip_ids: string[]): void;
  /** The clips of the trash whose videos can be deleted, and the bytes of these; those that are still worked on wait. */
  weighTrash(): Promise<{ clip_ids: string[]; bytes: number }>;
  /**
   * Deletes the videos of clips that are in the trash, for good. Their thumbnails stay, as does all that was found out
   * and decided of them; the same file added again brings a clip back whole.
   *
   * @returns How many were deleted: what is not in the trash any more stays.
   */
  emptyTrash(clip_ids: readonly string[]): Promise<number>;
  /** Deletes what an earlier server said that it would, and did not. */
  finishEmptying(): Promise<void>;
  /** Takes back the last change that still stands; a sentence on what was taken back, or null. */
  undo(): string | null;
  /** Clips that changed after a revision, and the revision to go on from. */
  listChanged(after: number): { clips: Clip[]; revision: number };
  bell: Bell;
  /** Called for every clip that has yet to be read. */
  onUnread(handle: (clip_id: string) => void): void;
  /** Called for every clip for which a proxy has yet to be made. */
  onProxyWanted(handle: (clip_id: string) => void): void;
  /** Asks for a proxy, to be played instead of the original. */
  wantProxy(clip_id: string): void;
  /** Writes what was found out about a clip, and says so to those who follow. */
  update: ClipStore["update"];
  setFrames: ClipStore["setFrames"];
};

export function createLibrary(store: ClipStore, clipsDir: string): Library {
  const bell = createBell();
  const unread: ((clip_id: string) => void)[] = [];
  const proxyWanted: ((clip_id: string) => void)[] = [];
  const adding = new Map<string, Promise<Added>>();

  const find = (clip_id: string): ClipRow => {
    const row = store.get(clip_id);
    if (!row) throw new TRPCError({ code: "NOT_FOUND", message: "This clip is not in the library." });
    return row;
  };
  const change = (
    kind: Parameters<ClipStore["change"]>[0],
    ids: string[],
    fields: Parameters<ClipStore["change"]>[2],
  ) => {
    for (const clip_id of ids) find(clip_id);
    store.change(kind, ids, fields);
    bell.ring();
  };
  const getFolder = (clip_id: string) => join(clipsDir, clip_id);
  const locate = ({ clip_id, extension }: ClipRow) => join(getFolder(clip_id), `original${extension}`);
  const getFile = (clip_id: string) => {
    const row = find(clip_id);
    if (row.emptied_secs === null) return locate(row);
    throw new TRPCError({
      code: "PRECONDITION_FAILED",
      message: `The video of “${row.name}” was deleted with the trash. Add the file again.`,
    });
  };
  const announceUnread = (clip_id: string) => {
    for (const handle of unread) handle(clip_id);
  };

  const meetAgain = (row: ClipRow): Added => {
    const { clip_id, name, emptied_secs } = row;
    let note = `Already in the library as “${name}”.`;
    if (row.trashed_secs !== null) {
      store.change("restore", [clip_id], { trashed_secs: null });
      note = `Was in the trash as “${name}”; it is back in the library.`;
    }
    if (emptied_secs !== null) {
      note = `Was deleted with the trash as “${name}”; it is back in the library.`;
      store.update(clip_id, { emptied_secs: null, state: "reading", problem: null, proxy: "none" });
      announceUnread(clip_id);
    } else if (row.state === "refused") {
      store.update(clip_id, { state: "reading", problem: null });
      announceUnread(clip_id);
    }
    bell.ring();
    return { clip: toClip(find(clip_id)), duplicate: true, note };
  };

  const bringIn = async (clip_id: string, { path, name, move }: Incoming): Promise<Added> => {
    const known = store.get(clip_id);
    if (known) {
      if (!existsSync(locate(known))) {
        await mkdir(getFolder(clip_id), { recursive: true });
        await placeFile({ path, move }, locate(known), clip_id);
      }
      if (move) await rm(path, { force: true });
      return meetAgain(known);
    }
    const shown = cleanName(name);
    const extension = getExtension(shown);
    const folder = getFolder(clip_id);
    const file = join(folder, `original${extension}`);
    await mkdir(folder, { recursive: true });
    await placeFile({ path, move }, file, clip_id);
    const { size } = await stat(file);
    store.insert({ clip_id, name: shown, bytes: size, extension });
    if (move) await rm(path, { force: true });
    announceUnread(clip_id);
    bell.ring();
    return { clip: toClip(find(clip_id)), duplicate: false, note: null };
  };

  const isAtRest = ({ state, proxy }: ClipRow) => state !== "reading" && proxy !== "wanted";
  const listVideos = (row: ClipRow) => [locate(row), getProxyFile(getFolder(row.clip_id))];
  const finishEmptying = async () => {
    for (const row of store.listEmptied()) {
      // One that is just coming back keeps its file.
      if (adding.has(row.clip_id)) continue;
      for (const video of listVideos(row)) await rm(video, { force: true });
    }
  };

  return {
    bell,
    async weighTrash() {
      const rows = store.list({ trash: true }).filter(isAtRest);
      const sizes = await Promise.all(
        rows.flatMap(listVideos).map((video) =>
          stat(video).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return {
        clip_ids: rows.map(({ clip_id }) => clip_id),
        bytes: sizes.reduce((sum, size) => sum + size, 0),
      };
    },
    async emptyTrash(clip_ids) {
      const wanted = new Set(clip_ids);
      const rows = store.list({ trash: true }).filter((row) => wanted.has(row.clip_id) && isAtRest(row));
      if (rows.length === 0) return 0;
      store.empty(rows.map(({ clip_id }) => clip_id));
      bell.ring();
      await finishEmptying();
      return rows.length;
    },
    finishEmptying,
    list: (filter) => store.list(filter).map(toClip),
    get: (clip_id) => toClip(find(clip_id)),
    getSampleTable: (clip_id) => toSampleTable(find(clip_id), getFrames(clip_id)),
    getFrames,
    getFolder,
    getFile,
    async add(incoming) {
      const clip_id = await hashFile(incoming.path);
      const before = adding.get(clip_id) ?? Promise.resolve();
      const mine = before.catch(() => undefined).then(() => bringIn(clip_id, incoming));
      adding.set(clip_id, mine);
      try {
        return await mine;
      } finally {
        if (adding.get(clip_id) === mine) adding.delete(clip_id);
      }
    },
    rename: (clip_id, name) => change("rename", [clip_id], { name: cleanName(name) }),
    setTags: (clip_id, tags) => change("tags", [clip_id], { tags: cleanTags(tags) }),
    setFieldOfView: (clip_id, field_of_view_deg) => change("field_of_view", [clip_id], { field_of_view_deg }),
    trash(ids) {
      const kept = ids.filter((clip_id) => find(clip_id).trashed_secs === null);
      change("trash", kept, { trashed_secs: Date.now() / 1000 });
    },
    restore(ids) {
      ids.forEach(getFile);
      change("restore", ids, { trashed_secs: null });
    },
    undo() {
      const undone = store.undo();
      if (!undone) return null;
      bell.ring();
      return describeUndo(undone);
    },
    listChanged(after) {
      const rows = store.listChanged(after);
      return { clips: rows.map(toClip), revision: rows.at(-1)?.revision ?? after };
    },
    onUnread: (handle) => void unread.push(handle),
    onProxyWanted: (handle) => void proxyWanted.push(handle),
    wantProxy(clip_id) {
      const { state, proxy } = find(clip_id);
      getFrames(clip_id);
      if (state === "refused") return;
      store.update(clip_id, {
        plays: "proxy",
        proxy: proxy === "ready" ? "ready" : "wanted",
        proxy_problem: null,
      });
      if (proxy !== "ready") for (const handle of proxyWanted) handle(clip_id);
      bell.ring();
    },
    update(clip_id, fields) {
      store.update(clip_id, fields);
      bell.ring();
    },
    setFrames: store.setFrames,
  };

  function getFrames(clip_id: string): FrameIndex {
    const { state, problem } = find(clip_id);
    const index = store.getFrames(clip_id);
    if (index) return index;
    if (state === "refused")
      throw new TRPCError({ code: "PRECONDITION_FAILED", message: problem ?? "Refused." });
    throw new TRPCError({
      code: "PRECONDITION_FAILED",
      message: "This clip is still being read; its frames are known when that is done.",
    });
  }
}

/** Puts a file at its place, whole and on the disk, or not at all. */
async function placeFile({ path, move }: Pick<Incoming, "path" | "move">, to: string, clip_id: string) {
  const draft = `${to}.part`;
  try {
    await rm(draft, { force: true });
    const copy = () => copyFile(path, draft, constants.COPYFILE_FICLONE);
    await (move ? link(path, draft).catch(copy) : copy());
    if (!move && (await hashFile(draft)) !== clip_id) {
      throw new TRPCError({
        code: "CONFLICT",
        message: "The file changed while it was being added. Add it again when it is complete.",
      });
    }
    const handle = await open(draft, "r+");
    await handle.sync().finally(() => handle.close());
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    throw new TRPCError({
      code: "INTERNAL_SERVER_ERROR",
      message: "The disk is full. Free some space, then add the clip again.",
      cause: error,
    });
  }
}

const MAX_NAME = 200;

/** A name that can be shown on one line. */
function cleanName(name: string): string {
  const line = basename(name.replaceAll("\\", "/"))
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "")
    .trim();
  return line.slice(0, MAX_NAME) || "Unnamed clip";
}

function cleanTags(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().replace(/\s+/g, " ")).filter((tag) => tag !== ""))];
}

function getExtension(name: string): string {
  const extension = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : "";
}

function describeUndo({ kind, entries }: LibraryChange): string {
  const first = entries[0];
  const name = first?.before?.name ?? first?.after.name ?? "";
  const which = entries.length === 1 ? `“${name}”` : `${entries.length} clips`;
  switch (kind) {
    case "add":
      return `${which} went back to the trash.`;
    case "rename":
      return `${which} has its name back.`;
    case "tags":
      return `${which} has its tags back.`;
    case "field_of_view":
      return `${which} has its field of view back.`;
    case "trash":
      return `${which} came back from the trash.`;
    default:
      return `${which} went back to the trash.`;
  }
}
