import type { BatchClip, ComparedClip, ComparedPart } from "@sightline/core/batches";
import {
  countAgreement,
  getEvidenceHash,
  hashSettings,
  type KeyFrameSelection,
  type KeyFrameSettings,
  pairFrames,
} from "@sightline/core/keyframes";
import { TRPCError } from "@trpc/server";
import type { KeyFrames } from "../keyframes/index.ts";
import type { BatchRecord } from "./store.ts";

/** A part is handed on after so long. */
const PART_MS = 200;

/**
 * Compares a batch's selections with those of other settings, clip by clip: with what is stored, or, where only a
 * threshold or a count differs, with what the stored features say. Nothing is decoded.
 */
export function createComparer({
  keyframes,
  getBatch,
  listClips,
}: {
  keyframes: Pick<KeyFrames, "getStored" | "select">;
  getBatch(batch_id: string): BatchRecord;
  listClips(batch_id: string): BatchClip[];
}) {
  const selectOther = async (clip_id: string, mine: KeyFrameSettings, other: KeyFrameSettings) => {
    const stored = keyframes.getStored(clip_id, hashSettings(other));
    if (stored !== null || getEvidenceHash(mine) !== getEvidenceHash(other)) return stored;
    try {
      return await keyframes.select(clip_id, other);
    } catch (error) {
      // The features are gone from the disk; the clip is shown as not looked at.
      if (error instanceof TRPCError) return null;
      throw error;
    }
  };

  const compareClip = async (batch: BatchRecord, clip: BatchClip, other: KeyFrameSettings) => {
    const { place, name, clip_id, state } = clip;
    if (clip_id === null || (state !== "done" && state !== "there")) {
      return { place, name, clip_id, agreement: null };
    }
    const a: KeyFrameSelection | null = keyframes.getStored(clip_id, batch.settings_hash);
    const b = a === null ? null : await selectOther(clip_id, batch.settings, other);
    const agreement = a === null || b === null ? null : countAgreement(pairFrames(a, b));
    return { place, name, clip_id, agreement };
  };

  return async function* compare(
    batch_id: string,
    against: KeyFrameSettings,
    signal: AbortSignal,
  ): AsyncGenerator<ComparedPart, void, undefined> {
    const batch = getBatch(batch_id);
    const all = listClips(batch_id);
    let part: ComparedClip[] = [];
    let handed = performance.now();
    for (const [at, clip] of all.entries()) {
      if (signal.aborted) return;
      part.push(await compareClip(batch, clip, against));
      if (performance.now() - handed < PART_MS) continue;
      yield { clips: part, compared: at + 1, clips_in_all: all.length };
      part = [];
      // Others have their turn before the next part.
      await new Promise((resolve) => setImmediate(resolve));
      handed = performance.now();
    }
    yield { clips: part, compared: all.length, clips_in_all: all.length };
  };
}
