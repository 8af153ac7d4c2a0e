import type { Batch } from "@sightline/core/batches";
import { formatCount } from "@sightline/core/format";
import classes from "./progress-bar.module.css";
import { CLIP_STATES, countThrough } from "./state.ts";

const PARTS = ["done", "there", "failed", "working"] as const;

/** How a batch's clips stand, as one bar whose parts are as long as there are clips. */
export function ProgressBar({ batch }: { batch: Batch }) {
  const total = Math.max(1, batch.clips);
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label="Clips that it is through with"
      aria-valuemin={0}
      aria-valuemax={batch.clips}
      aria-valuenow={countThrough(batch)}
    >
      {PARTS.map((part) => (
        <span
          key={part}
          data-part={part}
          title={`${formatCount(batch[part])} ${CLIP_STATES[part].label}`}
          style={{ width: `${(100 * batch[part]) / total}%` }}
        />
      ))}
    </div>
  );
}
