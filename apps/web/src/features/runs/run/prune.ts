import type { CheckpointRow } from "@sightline/core/runs";

/** What stays of a run's checkpoints. */
export type PruneChoice = { keep: number; keeps_stage_ends: boolean };

/**
 * Checkpoints that a prune deletes: older than the last `keep` whole ones, or not whole. What a resume or a fork needs
 * always stays.
 */
export function chooseWhatGoes(
  checkpoints: readonly CheckpointRow[],
  { keep, keeps_stage_ends }: PruneChoice,
): CheckpointRow[] {
  const whole = checkpoints.filter(({ complete }) => complete);
  const newest = new Set(keep > 0 ? whole.slice(-keep).map(({ step }) => step) : []);
  const last = checkpoints.at(-1)?.step;
  return checkpoints.filter((one) => {
    if (one.is_needed || one.forks.length > 0 || newest.has(one.step)) return false;
    // The last one may be the one that is being written now.
    if (!one.complete) return one.step !== last;
    return !(keeps_stage_ends && one.ends_stage !== null);
  });
}
