import type { ImportEntry } from "./types.ts";

/** What an import would change of a clip's key-frames; ordinals, rising. */
export type FrameDifference = { added: number[]; dropped: number[]; same: number[] };

/** True for what makes a new version. */
export const changesSomething = ({
  added,
  dropped,
  actions,
}: Pick<ImportEntry, "added" | "dropped" | "actions">) => added.length + dropped.length + actions.length > 0;

/** Compares the key-frames that a clip has with those of a file. */
export function differFrames(now: readonly number[], next: readonly number[]): FrameDifference {
  const before = new Set(now);
  const after = new Set(next);
  return {
    added: next.filter((frame) => !before.has(frame)),
    dropped: now.filter((frame) => !after.has(frame)),
    same: next.filter((frame) => before.has(frame)),
  };
}
