import { useDebouncedCallback } from "@mantine/hooks";
import type { Clip, SampleTable } from "@sightline/core/clips";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { useState } from "react";
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
  const [tried, setTried] = useState<{ draft: KeyFrameSettings; settings: KeyFrameSettings } | null>(null);
  // A draft belongs to the settings that it departs from; other settings leave it behind.
  const draft = tried?.settings === settings ? tried.draft : null;
  const state = useSelection(clip, table, settings, draft);
  const write = useDebouncedCallback(onSettings, SETTLE_MS);
  return {
    id,
    settings: draft ?? settings,
    state,
    tryThreshold(threshold) {
      const next = { ...(draft ?? settings), threshold };
      setTried({ draft: next, settings });
      write(next);
    },
    put(next) {
      setTried(null);
      onSettings(next);
    },
  };
}
