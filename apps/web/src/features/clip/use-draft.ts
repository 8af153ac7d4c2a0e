import { useCallbackRef } from "@mantine/hooks";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { useAhead } from "./use-ahead.ts";

const route = getRouteApi("/clips/$clipId");

/** What is tried is written into the URL once it has stood this long; browsers limit such writes. */
const SETTLE_MS = 150;

type Tried = NonNullable<ReturnType<typeof route.useSearch>["try"]>;

/**
 * Settings that are tried in place of those in force, null where none are. Their home is the URL; while a threshold is
 * dragged they run ahead of it for a moment, as a frame does that passes by.
 *
 * @param settings  In force. Others leave behind what was tried on these.
 */
export function useDraft(settings: KeyFrameSettings) {
  const asked = route.useSearch().try;
  const navigate = useNavigate({ from: "/clips/$clipId" });
  const { ahead, ...leader } = useAhead<KeyFrameSettings | null>(getKey(asked, settings));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const written = useMemo(() => (asked === undefined ? null : readTried(asked, settings)), [asked, settings]);
  const draft = ahead === null ? written : ahead.value;

  const tryOut = useCallbackRef((next: KeyFrameSettings | null) => {
    const tried = next === null ? undefined : writeTried(next, settings);
    const key = getKey(tried, settings);
    leader.run(tried === undefined ? null : next, key);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      leader.write(key);
      void navigate({ search: (now) => ({ ...now, try: tried }), replace: true, resetScroll: false });
    }, SETTLE_MS);
  });
  /** Leaves what is tried behind; the caller takes it out of the URL along with what else it changes there. */
  const drop = useCallbackRef(() => clearTimeout(timer.current));
  return { draft, tryOut, drop };
}

function getKey(tried: Tried | undefined, settings: KeyFrameSettings): string {
  return JSON.stringify([tried?.threshold ?? null, tried?.least ?? null, tried?.most ?? null, settings]);
}

function readTried({ threshold, least, most }: Tried, settings: KeyFrameSettings): KeyFrameSettings {
  return {
    ...settings,
    threshold: threshold ?? settings.threshold,
    min_frames: least ?? settings.min_frames,
    max_frames: most ?? settings.max_frames,
  };
}

/** Only what differs from the settings in force; undefined where nothing does. */
function writeTried(draft: KeyFrameSettings, settings: KeyFrameSettings): Tried | undefined {
  const tried = {
    threshold: draft.threshold === settings.threshold ? undefined : draft.threshold,
    least: draft.min_frames === settings.min_frames ? undefined : draft.min_frames,
    most: draft.max_frames === settings.max_frames ? undefined : draft.max_frames,
  };
  return Object.values(tried).some((value) => value !== undefined) ? tried : undefined;
}
