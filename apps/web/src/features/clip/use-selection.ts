import { useCallbackRef } from "@mantine/hooks";
import type { Clip, SampleTable } from "@sightline/core/clips";
import {
  getEvidenceHash,
  getPresetSettings,
  hashSettings,
  type KeyFrameSelection,
  type KeyFrameSettings,
} from "@sightline/core/keyframes";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { trpc } from "../../app/clients.ts";
import { useJobs } from "../../app/jobs.ts";
import { KeyFrameClient } from "./extract/index.ts";

/** An extraction under way. */
export type Work = {
  where: "here" | "server";
  done: number;
  /** Null while the amount of work is not known. */
  total: number | null;
  cancel(): void;
};

export type SelectionState = {
  /** What is shown; null where nothing was selected under such settings yet. */
  selection: KeyFrameSelection | null;
  /** True when what is shown is kept by the server. */
  is_saved: boolean;
  /** True while what is shown lags behind the settings asked for. */
  is_behind: boolean;
  is_loading: boolean;
  work: Work | null;
  problem: string | null;
  /** Looks at the clip in this browser and shows the outcome, unsaved. */
  extractHere(settings: KeyFrameSettings): void;
  /** Has the server extract and keep the outcome. */
  extractThere(settings: KeyFrameSettings): void;
  /** Compares beforehand what other thresholds will need. */
  prepare(): void;
};

/**
 * The key-frames of a clip under the settings in force, or under a draft that is being tried: stored, selected anew in
 * the browser's worker from stored features, or just extracted here.
 *
 * @param settings  In force: those of the URL.
 * @param draft  Being tried; null when none are.
 */
export function useSelection(
  clip: Clip,
  table: SampleTable | undefined,
  settings: KeyFrameSettings,
  draft: KeyFrameSettings | null,
): SelectionState {
  const { clip_id } = clip;
  const queries = useQueryClient();
  const [client] = useState(() => new KeyFrameClient());
  useEffect(() => () => client.dispose(), [client]);
  /** Evidence that the worker has in its memory from an extraction here. */
  const [seen_here, setSeenHere] = useState<string | null>(null);
  const [here, setHere] = useState<{ done: number; total: number | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const job = useJobs().findLast((one) => one.kind === "keyframes" && one.clip_id === clip_id) ?? null;
  const is_working = job?.state === "running" || job?.state === "waiting";
  // A stored selection announces itself only by the end of its job.
  const ended = job === null || is_working ? null : `${job.job_id} ${job.state}`;
  useEffect(() => {
    if (ended !== null) void queries.invalidateQueries({ queryKey: trpc.keyframes.pathKey() });
  }, [ended, queries]);

  const stored = useQuery(trpc.keyframes.get.queryOptions({ clip_id, settings }));
  const usual = useQuery(trpc.keyframes.get.queryOptions({ clip_id, settings: withUsualCounts(settings) }));
  const anchor = stored.data ?? usual.data ?? null;

  const trial = draft ?? (stored.data === null ? settings : null);
  const wanted = draft ?? settings;
  const evidence_hash = getEvidenceHash(wanted);
  const can_reselect =
    evidence_hash === seen_here || (anchor !== null && getEvidenceHash(anchor.settings) === evidence_hash);
  const tried = useQuery({
    queryKey: ["keyframe-trial", clip_id, hashSettings(wanted)],
    queryFn: async () => {
      const selection = await client.reselect(clip_id, anchor?.settings_hash ?? "", wanted);
      if (selection === null) throw new DOMException("overtaken by a newer threshold", "AbortError");
      return selection;
    },
    enabled: trial !== null && can_reselect,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

  const extract = useMutation(trpc.keyframes.extract.mutationOptions());
  const cancelJob = useMutation(trpc.jobs.cancel.mutationOptions());

  async function extractHere(next: KeyFrameSettings): Promise<void> {
    if (table === undefined) return;
    abort.current?.abort();
    const stop = new AbortController();
    abort.current = stop;
    setProblem(null);
    setHere({ done: 0, total: null });
    try {
      const source = { clip_id, playback: clip.playback, rotation: clip.rotation, table };
      const selection = await client.extract(source, next, {
        signal: stop.signal,
        onProgress: (done, total) => setHere({ done, total }),
      });
      queries.setQueryData(["keyframe-trial", clip_id, hashSettings(next)], selection);
      setSeenHere(getEvidenceHash(next));
    } catch (error) {
      if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      if (abort.current === stop) setHere(null);
    }
  }

  const trial_data = can_reselect ? tried.data : undefined;
  const selection = trial === null ? (stored.data ?? null) : (trial_data ?? (can_reselect ? anchor : null));
  const failed = job?.state === "failed" ? job.problem : null;
  const job_id = is_working ? job.job_id : null;
  const done = here?.done ?? job?.done ?? 0;
  const total = here === null ? (job?.total ?? null) : here.total;
  const where: Work["where"] | null = here !== null ? "here" : is_working ? "server" : null;
  const cancel = useCallbackRef(() => {
    if (where === "here") abort.current?.abort();
    else if (job_id !== null) cancelJob.mutate({ job_id });
  });
  const work = useMemo(
    () => (where === null ? null : { where, done, total, cancel }),
    [where, done, total, cancel],
  );
  const is_saved = trial === null && selection !== null;
  const is_behind = selection !== null && selection.settings_hash !== hashSettings(wanted);
  const is_loading = stored.isPending;
  const said =
    problem ??
    stored.error?.message ??
    extract.error?.message ??
    (can_reselect && trial !== null ? sayUnlessAborted(tried.error) : null) ??
    (selection === null ? failed : null);

  const look = useCallbackRef((next: KeyFrameSettings) => void extractHere(next));
  const extractThere = useCallbackRef((next: KeyFrameSettings) => {
    setProblem(null);
    extract.mutate({ clip_id, settings: next });
  });
  const prepare = useCallbackRef(() => {
    if (anchor === null) return;
    client.prepare(clip_id, anchor.settings_hash, wanted).catch((error: unknown) => {
      if (!isAbort(error)) setProblem(error instanceof Error ? error.message : String(error));
    });
  });
  // The desk is drawn anew with every frame that passes by; what hangs on this is not.
  return useMemo(
    () => ({
      selection,
      is_saved,
      is_behind,
      is_loading,
      work,
      problem: said,
      extractHere: look,
      extractThere,
      prepare,
    }),
    [selection, is_saved, is_behind, is_loading, work, said, look, extractThere, prepare],
  );
}

/** Settings with the same evidence that are most likely to be stored. */
function withUsualCounts(settings: KeyFrameSettings): KeyFrameSettings {
  const { threshold, min_frames, max_frames, gap_secs } = getPresetSettings(settings.preset);
  return { ...settings, threshold, min_frames, max_frames, gap_secs };
}

function sayUnlessAborted(error: Error | null): string | null {
  return error === null || isAbort(error) ? null : error.message;
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
