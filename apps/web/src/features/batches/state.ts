import type { Batch, BatchClipState, BatchState, Pace } from "@sightline/core/batches";
import { formatCount, formatLasting } from "@sightline/core/format";
import type { Tone } from "@sightline/ui/status";

/** How a batch stands, in a shape and a word. */
export const BATCH_STATES: Record<BatchState, { tone: Tone; label: string }> = {
  working: { tone: "busy", label: "working" },
  cancelled: { tone: "part", label: "cancelled" },
  failed: { tone: "wrong", label: "stopped" },
  done: { tone: "done", label: "done" },
};

/** How a clip of it stands. */
export const CLIP_STATES: Record<BatchClipState, { tone: Tone; label: string }> = {
  working: { tone: "busy", label: "working" },
  waiting: { tone: "waiting", label: "waiting" },
  done: { tone: "done", label: "done" },
  there: { tone: "quiet", label: "already there" },
  failed: { tone: "wrong", label: "failed" },
};

/** Clips that nothing more will be done with. */
export const countThrough = ({ done, there, failed }: Batch): number => done + there + failed;

/** "6 of 6", and what of that was nothing to do or did not come out: "6 of 6 · all already there", "5 of 6 · 1 failed". */
export function describeThrough(batch: Batch): string {
  const { clips, there, failed } = batch;
  const is_all_there = there > 0 && there === clips;
  return [
    `${formatCount(countThrough(batch))} of ${formatCount(clips)}`,
    there > 0 && `${is_all_there ? "all" : formatCount(there)} already there`,
    failed > 0 && `${formatCount(failed)} failed`,
  ]
    .filter((part) => part !== false)
    .join(" · ");
}

/** "72 clips a minute · 4 min left"; says that it is still estimating where it can't tell yet. */
export function describePace(pace: Pace | null): string {
  if (pace === null) return "estimating the time left";
  const { clips_per_minute, left_secs } = pace;
  const rate = clips_per_minute < 10 ? clips_per_minute.toFixed(1) : formatCount(clips_per_minute);
  return `${rate} clips a minute · ${formatLasting(left_secs)} left`;
}
