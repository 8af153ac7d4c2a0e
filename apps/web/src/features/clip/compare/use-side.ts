import { useDebouncedCallback } from "@mantine/hooks";
import type { Clip, SampleTable } from "@sightline/core/clips";
import { hashSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { useAhead } from "../use-ahead.ts";
import { type SelectionState, useSelection } from "../use-selection.ts";

/** The address follows a threshold that is dragged once it has stood so long. */
const SETTLE_MS = 250;

/** One of the two selections that are compared. */
export type Side = {
  id: "a" | "b";
  /** In force, or tried while the threshold is dragged. */
  settings: KeyFrameSettings;
  state: SelectionState;
  tryThreshold(threshold: number): void;
  put(settings: KeyFrameSettings): void;
};

/**
 * @param settings  Of the address.
 * @param onSettings  Writes others into it.
 */
export function useSide(
  id: Side["id"],
  clip: Clip,
  table: SampleTable,
  settings: KeyFrameSettings,
  onSettings: (settings: KeyFrameSettings) => void,
): Side {
  const { ahead, ...leader } = useAhead<KeyFrameSettings>(hashSettings(settings));
  const draft = ahead?.value ?? null;
  const state = useSelection(clip, table, settings, draft);
  function write(next: KeyFrameSettings): void {
    leader.write(hashSettings(next));
    onSettings(next);
  }
  const writeSoon = useDebouncedCallback(write, SETTLE_MS);
  return {
    id,
    settings: draft ?? settings,
    state,
    tryThreshold(threshold) {
      const next = { ...(draft ?? settings), threshold };
      leader.run(next, hashSettings(next));
      writeSoon(next);
    },
    put(next) {
      writeSoon.cancel();
      leader.run(next, hashSettings(next));
      write(next);
    },
  };
}
