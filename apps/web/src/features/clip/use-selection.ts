import { useCallbackRef } from "@mantine/hooks";
import type { Clip, Job, SampleTable } from "@sightline/core/clips";
import {
  getEvidenceHash,
  getPresetSettings,
  type KeyFrameSelection,
  type KeyFrameSettings,
} from "@sightline/core/keyframes";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { trpc } from "../../app/clients.ts";
import { useJobs } from "../../app/jobs.ts";
import { getTrialKey, isAbort, useExtractionHere } from "./use-extraction-here.ts";

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
  /** What the server keeps and has the same features and pairs as what is shown; null where there is none. */
  stored: KeyFrameSelection | null;
  /** True when what is shown is kept by the server. */
  is_saved: boolean;
  is_loading: boolean;
  work: Work | null;
  problem: string | null;
  /** Looks at the clip in this browser and shows the outcome, unsaved. */
  extractHere(settings: KeyFrameSettings): void;
  /** Has the server extract and keep the outcome. */
  extractThere(settings: KeyFrameSettings): void;
  /** Gets ready for other thresholds. */
  prepare(): void;
};

/**
 * The key-frames of a clip under the settings in force, or under a draft that is being tried: stored, selected anew in
 * the browser's worker from stored features, or just extracted here.
 *
 * @param settings  In force: those of the URL, or the last saved.
 * @param draft  Being tried; null when none are.
 */
export function useSelection(
  clip: Clip,
  table: SampleTable | undefined,
  settings: KeyFrameSettings,
  draft: KeyFrameSettings | null,
): SelectionState {
  const { clip_id } = clip;
  const here = useExtractionHere(clip, table);
  const job = useKeyFrameJob(clip_id);
  const stored = useQuery(trpc.keyframes.get.queryOptions({ clip_id, settings }));
  const usual = useQuery(trpc.keyframes.get.queryOptions({ clip_id, settings: withUsualCounts(settings) }));
  const anchor = stored.data ?? usual.data ?? null;

  const wanted = draft ?? settings;
  const is_trial = draft !== null || stored.data === null;
  const is_kin = anchor !== null && getEvidenceHash(anchor.settings) === getEvidenceHash(wanted);
  const can_reselect = is_kin || here.hasSeen(wanted);
  const trial = useQuery({
    queryKey: getTrialKey(clip_id, wanted),
    queryFn: () => here.reselect(wanted, anchor),
    enabled: is_trial && can_reselect,
    // While the threshold moves, what was selected a moment ago stands in.
    placeholderData: (before: KeyFrameSelection | undefined) =>
      before !== undefined && getEvidenceHash(before.settings) === getEvidenceHash(wanted)
        ? before
        : undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

  const extract = useMutation(trpc.keyframes.extract.mutationOptions());
  const cancelJob = useMutation(trpc.jobs.cancel.mutationOptions());
  const cancel = useCallbackRef(() => {
    if (here.progress !== null) here.cancel();
    else if (job !== null) cancelJob.mutate({ job_id: job.job_id });
  });
  const is_working = job?.state === "running" || job?.state === "waiting";
  const where: Work["where"] | null = here.progress !== null ? "here" : is_working ? "server" : null;
  const { done = 0, total = null } = here.progress ?? job ?? {};
  const work = useMemo(
    () => (where === null ? null : { where, done, total, cancel }),
    [where, done, total, cancel],
  );

  const tried = can_reselect ? (trial.data ?? anchor) : null;
  const selection = is_trial ? tried : (stored.data ?? null);
  const trial_problem = is_trial && can_reselect && !isAbort(trial.error) ? trial.error?.message : undefined;
  const job_problem = job?.state === "failed" && selection === null ? job.problem : null;
  const problem =
    here.problem ?? stored.error?.message ?? extract.error?.message ?? trial_problem ?? job_problem;

  const extractThere = useCallbackRef((next: KeyFrameSettings) =>
    extract.mutate({ clip_id, settings: next }),
  );
  const prepare = useCallbackRef(() => {
    if (anchor !== null) here.prepare(wanted, anchor);
  });
  const kin = is_kin ? anchor : null;
  const is_saved = !is_trial && selection !== null;
  const is_loading = stored.isPending;
  // The desk is drawn anew with every frame that passes by; what hangs on this is not.
  return useMemo(
    () => ({
      selection,
      stored: kin,
      is_saved,
      is_loading,
      work,
      problem,
      extractHere: here.extract,
      extractThere,
      prepare,
    }),
    [selection, kin, is_saved, is_loading, work, problem, here.extract, extractThere, prepare],
  );
}

/** The server's last key-frame job for a clip; its end is what tells that a selection was stored. */
function useKeyFrameJob(clip_id: string): Job | null {
  const queries = useQueryClient();
  const job = useJobs().findLast((one) => one.kind === "keyframes" && one.clip_id === clip_id) ?? null;
  const is_ended = job !== null && job.state !== "running" && job.state !== "waiting";
  const ended = is_ended ? `${job.job_id} ${job.state}` : null;
  useEffect(() => {
    if (ended === null) return;
    // A first answer that is still on its way may be from before the end, and would stand.
    void queries
      .cancelQueries({ queryKey: trpc.keyframes.get.pathKey() })
      .then(() => queries.invalidateQueries({ queryKey: trpc.keyframes.pathKey() }));
  }, [ended, queries]);
  return job;
}

/** Settings with the same evidence that are most likely to be stored. */
function withUsualCounts(settings: KeyFrameSettings): KeyFrameSettings {
  const { threshold, min_frames, max_frames, gap_secs } = getPresetSettings(settings.preset);
  return { ...settings, threshold, min_frames, max_frames, gap_secs };
}
