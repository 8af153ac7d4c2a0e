import type { StageSpec } from "@sightline/core/runs";
import { normalise } from "@sightline/core/schedules";
import { REWARD_PARTS } from "@sightline/core/wire";
import classes from "./schedule-editor.module.css";

const KNOWN: readonly string[] = REWARD_PARTS;

/** Names of the rewards that any stage weighs, the three of the method first. */
export function listParts(stages: readonly StageSpec[]): string[] {
  const own = stages.flatMap(({ weights }) => Object.keys(weights)).filter((name) => !KNOWN.includes(name));
  return [...KNOWN, ...new Set(own)];
}

/** The weights of a stage, stacked to 1, in one order whatever the order of their names. */
export function Areas({ stage }: { stage: StageSpec }) {
  const shares = normalise(stage.weights);
  const stacked =
    shares === null ? [] : listParts([stage]).map((part) => ({ part, share: shares[part] ?? 0 }));
  return (
    <span className={classes.areas} aria-hidden="true">
      {stacked.map(({ part, share }) => (
        <span key={part} className={classes.area} data-part={part} style={{ height: `${share * 100}%` }}>
          {share >= 0.14 && `${KNOWN.includes(part) ? "" : `${part} `}${Math.round(share * 100)} %`}
        </span>
      ))}
    </span>
  );
}
