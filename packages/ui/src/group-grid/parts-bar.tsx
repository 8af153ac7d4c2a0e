import { REWARD_PARTS, toNumber } from "@sightline/core/wire";
import classes from "./group-grid.module.css";
import type { Completion } from "./verdict.ts";

/** The three parts in their order, then a run's own ones. */
export function listParts({ rewards }: Completion): string[] {
  return [...new Set([...REWARD_PARTS, ...Object.keys(rewards)])];
}

/** The weighted shares of one completion's reward as a bar from 0 to 1. */
export function PartsBar({ completion }: { completion: Completion }) {
  const parts = listParts(completion);
  const sum = parts.reduce((total, part) => total + (completion.rewards[part]?.weight ?? 0), 0) || 1;
  return (
    <div
      className={classes.bar}
      role="img"
      aria-label={describeParts(completion)}
      title={describeParts(completion)}
    >
      {parts.map((part) => {
        const value = completion.rewards[part];
        if (!value || value.raw === null) return null;
        const share = (toNumber(value.raw) * value.weight) / sum;
        return <span key={part} data-part={part} style={{ width: `${Math.max(0, share) * 100}%` }} />;
      })}
    </div>
  );
}

/** Raw value, weight and reason of every part, in words. */
function describeParts(completion: Completion): string {
  return Object.entries(completion.rewards)
    .map(
      ([name, { raw, weight, null_reason }]) =>
        `${name} ${raw ?? `not scored (${null_reason ?? "no reason given"})`} × ${weight}`,
    )
    .join(", ");
}
