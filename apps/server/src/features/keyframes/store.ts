import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";
import { and, asc, desc, eq } from "drizzle-orm";
import type { Db } from "../../db/open.ts";
import { keyFrameDecisions, keyFrameExtractions, keyFrameSelections, keyFrameViews } from "./tables.ts";

export type Extraction = typeof keyFrameExtractions.$inferSelect;

/** The only SQL of the tables keyframe_selections, keyframe_decisions, keyframe_extractions and keyframe_views. */
export type KeyFrameStore = {
  get(clip_id: string, settings_hash: string): KeyFrameSelection | null;
  /** The settings of a stored selection; null when there is none of that hash. */
  getSettings(clip_id: string, settings_hash: string): KeyFrameSettings | null;
  /** The settings of the selection that was stored last; null when there is none. */
  getLatestSettings(clip_id: string): KeyFrameSettings | null;
  /** Stores a selection in place of an earlier one of the same settings, and forgets that it was asked for. */
  put(selection: KeyFrameSelection): void;
  listExtractions(clip_id: string): Extraction[];
  putExtraction(extraction: Extraction): void;
  /** The field of view that was read from a clip's features; `found_deg` is null where these don't show it. */
  getView(clip_id: string, evidence_hash: string): { found_deg: number | null } | null;
  putView(clip_id: string, evidence_hash: string, found_deg: number | null): void;
};

export function createKeyFrameStore(db: Db): KeyFrameStore {
  const ofSelection = (clip_id: string, settings_hash: string) =>
    and(eq(keyFrameSelections.clip_id, clip_id), eq(keyFrameSelections.settings_hash, settings_hash));
  const ofExtraction = (clip_id: string, settings_hash: string) =>
    and(eq(keyFrameExtractions.clip_id, clip_id), eq(keyFrameExtractions.settings_hash, settings_hash));

  return {
    getView: (clip_id, evidence_hash) =>
      db
        .select({ found_deg: keyFrameViews.found_deg })
        .from(keyFrameViews)
        .where(and(eq(keyFrameViews.clip_id, clip_id), eq(keyFrameViews.evidence_hash, evidence_hash)))
        .get() ?? null,
    putView(clip_id, evidence_hash, found_deg) {
      db.insert(keyFrameViews).values({ clip_id, evidence_hash, found_deg }).onConflictDoNothing().run();
    },
    get(clip_id, settings_hash) {
      const row = db.select().from(keyFrameSelections).where(ofSelection(clip_id, settings_hash)).get();
      if (!row) return null;
      const decisions = db
        .select()
        .from(keyFrameDecisions)
        .where(
          and(eq(keyFrameDecisions.clip_id, clip_id), eq(keyFrameDecisions.settings_hash, settings_hash)),
        )
        .orderBy(asc(keyFrameDecisions.frame))
        .all();
      const { made_secs: _, ...selection } = row;
      return {
        ...selection,
        decisions: decisions.map(({ clip_id: _c, settings_hash: _s, ...decision }) => decision),
      };
    },
    getSettings: (clip_id, settings_hash) =>
      db
        .select({ settings: keyFrameSelections.settings })
        .from(keyFrameSelections)
        .where(ofSelection(clip_id, settings_hash))
        .get()?.settings ?? null,
    getLatestSettings: (clip_id) =>
      db
        .select({ settings: keyFrameSelections.settings })
        .from(keyFrameSelections)
        .where(eq(keyFrameSelections.clip_id, clip_id))
        .orderBy(desc(keyFrameSelections.made_secs))
        .limit(1)
        .get()?.settings ?? null,
    put({ decisions, ...selection }) {
      const { clip_id, settings_hash } = selection;
      db.transaction((tx) => {
        tx.delete(keyFrameSelections).where(ofSelection(clip_id, settings_hash)).run();
        tx.insert(keyFrameSelections)
          .values({ ...selection, made_secs: Date.now() / 1000 })
          .run();
        for (const decision of decisions) {
          tx.insert(keyFrameDecisions)
            .values({ clip_id, settings_hash, ...decision })
            .run();
        }
        tx.delete(keyFrameExtractions).where(ofExtraction(clip_id, settings_hash)).run();
      });
    },
    listExtractions: (clip_id) =>
      db.select().from(keyFrameExtractions).where(eq(keyFrameExtractions.clip_id, clip_id)).all(),
    putExtraction(extraction) {
      const { clip_id: _c, settings_hash: _s, ...set } = extraction;
      db.insert(keyFrameExtractions)
        .values(extraction)
        .onConflictDoUpdate({
          target: [keyFrameExtractions.clip_id, keyFrameExtractions.settings_hash],
          set,
        })
        .run();
    },
  };
}
