import { useCallbackRef } from "@mantine/hooks";
import type { Clip, SampleTable } from "@sightline/core/clips";
import {
  getEvidenceHash,
  hashSettings,
  type KeyFrameSelection,
  type KeyFrameSettings,
} from "@sightline/core/keyframes";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { KeyFrameClient } from "./extract/index.ts";

export type ExtractionHere = {
  /** Sampled frames looked at, of how many; null while none is under way. */
  progress: { done: number; total: number | null } | null;
  problem: string | null;
  /** Looks at the clip in this browser; the outcome takes its place among the trials. */
  extract(settings: KeyFrameSettings): void;
  cancel(): void;
  /** True when the worker still has in memory what it saw of the clip under such settings. */
  hasSeen(settings: KeyFrameSettings): boolean;
  /** @throws AbortError when a newer call overtook this one. */
  reselect(settings: KeyFrameSettings, stored: KeyFrameSelection | null): Promise<KeyFrameSelection>;
  /** Compares beforehand what other thresholds than those of `stored` will need. */
  prepare(settings: KeyFrameSettings, stored: KeyFrameSelection): void;
};

/** Where the outcome of settings that are only tried is found in the query cache. */
export function getTrialKey(clip_id: string, settings: KeyFrameSettings): readonly unknown[] {
  return ["keyframe-trial", clip_id, hashSettings(settings)];
}

/** The key-frame worker of a clip's page, and the extraction that runs in it. */
export function useExtractionHere(clip: Clip, table: SampleTable | undefined): ExtractionHere {
  const { clip_id, playback, rotation } = clip;
  const queries = useQueryClient();
  const [client] = useState(() => new KeyFrameClient());
  const [seen, setSeen] = useState<string | null>(null);
  const [progress, setProgress] = useState<ExtractionHere["progress"]>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      stop.current?.abort();
      client.dispose();
    },
    [client],
  );

  const say = (error: unknown) => {
    if (!isAbort(error)) setProblem(error instanceof Error ? error.message : String(error));
  };

  async function run(settings: KeyFrameSettings): Promise<void> {
    if (table === undefined) return;
    stop.current?.abort();
    const mine = new AbortController();
    stop.current = mine;
    setProblem(null);
    setProgress({ done: 0, total: null });
    try {
      const selection = await client.extract({ clip_id, playback, rotation, table }, settings, {
        signal: mine.signal,
        onProgress: (done, total) => setProgress({ done, total }),
      });
      queries.setQueryData(getTrialKey(clip_id, settings), selection);
      setSeen(getEvidenceHash(settings));
    } catch (error) {
      say(error);
    } finally {
      if (stop.current === mine) setProgress(null);
    }
  }

  return {
    progress,
    problem,
    extract: useCallbackRef((settings: KeyFrameSettings) => void run(settings)),
    cancel: useCallbackRef(() => stop.current?.abort()),
    hasSeen: (settings) => getEvidenceHash(settings) === seen,
    async reselect(settings, stored) {
      const selection = await client.reselect(clip_id, stored?.settings_hash ?? "", settings);
      if (selection === null) throw new DOMException("overtaken by a newer threshold", "AbortError");
      return selection;
    },
    prepare: (settings, stored) => void client.prepare(clip_id, stored.settings_hash, settings).catch(say),
  };
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
