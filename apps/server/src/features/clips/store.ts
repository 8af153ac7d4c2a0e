import type { Clip, SampleTable } from "@sightline/core/clips";
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, ne, notInArray, sql } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import type { FrameIndex } from "../../media/scan.ts";
import {
  type ChangeEntry,
  type ChangeKind,
  type ClipFields,
  clipFrames,
  clips,
  libraryChanges,
} from "./tables.ts";

export type ClipRow = typeof clips.$inferSelect;

/** A change of the library, as the history keeps it. */
export type LibraryChange = typeof libraryChanges.$inferSelect;

/** The only SQL of the tables clips, clip_frames and library_changes. */
export type ClipStore = {
  get(clip_id: string): ClipRow | null;
  list(filter: { trash: boolean }): ClipRow[];
  /** Clips that changed after a revision, in order of change. */
  listChanged(after: number): ClipRow[];
  listUnfinished(): { reading: string[]; proxies: string[] };
  /** Clips whose video was deleted with the trash. */
  listEmptied(): ClipRow[];
  /** Says that the videos of these clips are to go, in one transaction that reaches the disk. */
  empty(clip_ids: readonly string[]): void;
  sumBytes(): number;
  insert(clip: { clip_id: string; name: string; bytes: number; extension: string }): void;
  /** Writes what was found out about a clip; not part of the history. */
  update(clip_id: string, fields: Partial<Omit<ClipRow, "clip_id" | "revision" | keyof ClipFields>>): void;
  setFrames(clip_id: string, index: FrameIndex): void;
  getFrames(clip_id: string): FrameIndex | null;
  /** Changes what a person may change, and appends it to the history, in one transaction that reaches the disk. */
  change(kind: Exclude<ChangeKind, "add" | "undo">, clip_ids: string[], fields: Partial<ClipFields>): void;
  /**
   * Takes back the last change that has not been taken back yet; null when there is none. Clips whose video was deleted
   * stay as they are.
   */
  undo(): LibraryChange | null;
};

const now = () => Date.now() / 1000;

export function createClipStore(db: Db): ClipStore {
  const nextRevision = sql<number>`(SELECT coalesce(max(revision), 0) + 1 FROM clips)`;

  const pick = (row: ClipRow): ClipFields => ({
    name: row.name,
    tags: row.tags,
    trashed_secs: row.trashed_secs,
    field_of_view_deg: row.field_of_view_deg,
  });

  const get = (clip_id: string) => db.select().from(clips).where(eq(clips.clip_id, clip_id)).get() ?? null;

  const set = (clip_id: string, fields: Partial<Omit<ClipRow, "clip_id" | "revision">>) =>
    db
      .update(clips)
      .set({ ...fields, revision: nextRevision })
      .where(eq(clips.clip_id, clip_id))
      .run();

  const append = (kind: ChangeKind, entries: ChangeEntry[], undoes: number | null = null) =>
    db.insert(libraryChanges).values({ made_secs: now(), kind, entries, undoes }).run();

  return {
    get,
    list: ({ trash }) =>
      db
        .select()
        .from(clips)
        .where(
          and(trash ? isNotNull(clips.trashed_secs) : isNull(clips.trashed_secs), isNull(clips.emptied_secs)),
        )
        .orderBy(desc(clips.added_secs), asc(clips.clip_id))
        .all(),
    listChanged: (after) =>
      db.select().from(clips).where(gt(clips.revision, after)).orderBy(asc(clips.revision)).all(),
    listUnfinished() {
      const ids = (where: ReturnType<typeof eq>) =>
        db
          .select({ clip_id: clips.clip_id })
          .from(clips)
          .where(where)
          .orderBy(asc(clips.added_secs))
          .all()
          .map(({ clip_id }) => clip_id);
      return { reading: ids(eq(clips.state, "reading")), proxies: ids(eq(clips.proxy, "wanted")) };
    },
    listEmptied: () => db.select().from(clips).where(isNotNull(clips.emptied_secs)).all(),
    empty(clip_ids) {
      writeDurably(db, () => {
        const emptied_secs = now();
        for (const clip_id of clip_ids) set(clip_id, { emptied_secs });
      });
    },
    sumBytes: () =>
      db
        .select({ bytes: sql<number>`coalesce(sum(${clips.bytes}), 0)` })
        .from(clips)
        .where(isNull(clips.emptied_secs))
        .get()?.bytes ?? 0,
    insert({ clip_id, name, bytes, extension }) {
      writeDurably(db, () => {
        const added_secs = now();
        db.insert(clips)
          .values({
            clip_id,
            name,
            bytes,
            extension,
            added_secs,
            tags: [],
            state: "reading",
            revision: nextRevision as unknown as number,
          })
          .run();
        append("add", [
          { clip_id, before: null, after: { name, tags: [], trashed_secs: null, field_of_view_deg: null } },
        ]);
      });
    },
    update: (clip_id, fields) => void set(clip_id, fields),
    setFrames(clip_id, index) {
      const row = {
        time_secs: toBuffer(index.time_secs),
        ticks: toBuffer(index.ticks),
        key_frames: toBuffer(index.key_frames),
        seekable: index.seekable,
        first_time_secs: index.first_time_secs,
      };
      db.insert(clipFrames)
        .values({ clip_id, ...row })
        .onConflictDoUpdate({ target: clipFrames.clip_id, set: row })
        .run();
    },
    getFrames(clip_id) {
      const row = db.select().from(clipFrames).where(eq(clipFrames.clip_id, clip_id)).get();
      if (!row) return null;
      const duration_secs = get(clip_id)?.duration_secs ?? null;
      return {
        time_secs: new Float64Array(copy(row.time_secs)),
        ticks: new Float64Array(copy(row.ticks)),
        key_frames: new Uint32Array(copy(row.key_frames)),
        seekable: row.seekable,
        first_time_secs: row.first_time_secs,
        duration_secs,
      };
    },
    change(kind, clip_ids, fields) {
      writeDurably(db, () => {
        const rows = db.select().from(clips).where(inArray(clips.clip_id, clip_ids)).all();
        const entries = rows
          .map((row) => ({ clip_id: row.clip_id, before: pick(row), after: { ...pick(row), ...fields } }))
          .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
        if (entries.length === 0) return;
        for (const { clip_id } of entries) set(clip_id, fields);
        append(kind, entries);
      });
    },
    undo() {
      return writeDurably(db, undoLast);
      function undoLast(): LibraryChange | null {
        const undone = db
          .select({ id: libraryChanges.undoes })
          .from(libraryChanges)
          .where(isNotNull(libraryChanges.undoes));
        const last = db
          .select()
          .from(libraryChanges)
          .where(and(ne(libraryChanges.kind, "undo"), notInArray(libraryChanges.change_id, undone)))
          .orderBy(desc(libraryChanges.change_id))
          .limit(1)
          .get();
        if (!last) return null;
        const standing = last.entries.filter(({ clip_id }) => get(clip_id)?.emptied_secs === null);
        const entries = standing.map(({ clip_id, before, after }) => ({
          clip_id,
          before: after,
          after: before ?? { ...after, trashed_secs: now() },
        }));
        for (const { clip_id, after } of entries) set(clip_id, after);
        append("undo", entries, last.change_id);
        return entries.length === 0 ? undoLast() : { ...last, entries: standing };
      }
    },
  };
}

/** The clip as the rest of the world sees it. */
export function toClip(row: ClipRow): Clip {
  const {
    revision: _,
    extension: _e,
    pixel_format: _p,
    full_range: _f,
    plays,
    proxy,
    proxy_problem,
    original_start_secs: _o,
    ...clip
  } = row;
  const shown = row.state === "ready" || row.state === "partial";
  const playback =
    !shown || row.emptied_secs !== null
      ? "none"
      : plays === "original"
        ? "original"
        : proxy === "ready"
          ? "proxy"
          : "none";
  return { ...clip, playback, playback_problem: proxy === "failed" ? proxy_problem : null };
}

export function toSampleTable(row: ClipRow, index: FrameIndex): SampleTable {
  const first_time_secs = row.plays === "original" ? (row.original_start_secs ?? index.first_time_secs) : 0;
  return { clip_id: row.clip_id, time_secs: [...index.time_secs], first_time_secs };
}

function toBuffer(array: Float64Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** A buffer of its own: a row's buffer need not lie on a multiple of eight. */
function copy(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
