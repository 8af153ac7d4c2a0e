import { VisuallyHidden } from "@mantine/core";
import { formatRatio, normalise } from "@sightline/core/schedules";
import { REWARD_PARTS, type RewardWeights } from "@sightline/core/wire";
import { useEffect, useRef } from "react";
import type { Cursor, Extent } from "../curve/index.tsx";
import classes from "./stage-band.module.css";

/** A stage over the steps, or the epochs, that it rules. `to` null: to the end. */
export type BandStage = {
  id: string;
  name: string;
  weights: RewardWeights;
  from: number;
  to: number | null;
};

/**
 * The stages of a run as one band: as wide as their steps, their weights stacked as tints. What the run has not
 * reached is pale. A click on a stage asks for its window.
 *
 * @param props.unit  What `from`, `to` and `extent` count. A run that has not begun knows its epochs alone: its stages
 *   are all ahead, and there is no window to ask for.
 */
export function StageBand({
  stages,
  unit = "steps",
  extent,
  at,
  window,
  cursor,
  selected,
  onWindow,
}: {
  stages: readonly BandStage[];
  unit?: "steps" | "epochs";
  extent: Extent;
  /** The newest step; null before the first. */
  at: number | null;
  window: Extent | null;
  cursor: Cursor;
  selected: number | null;
  onWindow: (window: Extent | null) => void;
}) {
  const hair = useRef<HTMLDivElement>(null);
  const span = Math.max(1e-9, extent[1] - extent[0]);
  const share = (x: number) => Math.min(1, Math.max(0, (x - extent[0]) / span));
  const percent = (x: number) => `${(share(x) * 100).toFixed(3)}%`;

  useEffect(() => {
    const move = () => {
      const x = cursor.get();
      if (!hair.current) return;
      hair.current.hidden = x === null;
      if (x !== null) hair.current.style.left = `${((x - extent[0]) / span) * 100}%`;
    };
    move();
    return cursor.subscribe(move);
  }, [cursor, extent, span]);

  return (
    <section className={classes.band} aria-label="Stages">
      {stages.map((stage, index) => {
        const to = stage.to ?? extent[1];
        const left = index === 0 ? extent[0] : stage.from;
        const isShown = window !== null && window[0] === stage.from && window[1] === to;
        const ratio = formatRatio(stage.weights);
        return (
          <button
            key={stage.id}
            type="button"
            className={classes.stage}
            aria-pressed={isShown}
            disabled={unit === "epochs"}
            title={describeStage(stage, to, unit)}
            style={{ left: percent(left), width: `calc(${percent(to)} - ${percent(left)})` }}
            onClick={() => onWindow(isShown ? null : [stage.from, to])}
          >
            <Weights weights={stage.weights} />
            <span className={classes.text}>
              <VisuallyHidden>Stage </VisuallyHidden>
              <span className={classes.number}>{index + 1}</span>{" "}
              <span className={classes.name}>{stage.name}</span>{" "}
              <span className={classes.ratio}>{ratio}</span>
            </span>
          </button>
        );
      })}
      <div className={classes.ahead} style={{ left: percent(at ?? extent[0]) }} />
      {at !== null && at < extent[1] && <div className={classes.head} style={{ left: percent(at) }} />}
      {window !== null && (
        <div
          className={classes.window}
          style={{ left: percent(window[0]), right: `calc(100% - ${percent(window[1])})` }}
        />
      )}
      {selected !== null && <div className={classes.selected} style={{ left: percent(selected) }} />}
      <div ref={hair} className={classes.hair} hidden />
    </section>
  );
}

function Weights({ weights }: { weights: RewardWeights }) {
  const shares = normalise(weights);
  return (
    <span className={classes.weights} aria-hidden="true">
      {shares !== null &&
        REWARD_PARTS.map((part) => (
          <span key={part} data-part={part} style={{ height: `${shares[part] * 100}%` }} />
        ))}
    </span>
  );
}

function describeStage(stage: BandStage, to: number, unit: "steps" | "epochs"): string {
  const { format, accuracy, consistency } = stage.weights;
  const weights = `format ${format}, accuracy ${accuracy}, consistency ${consistency}`;
  return unit === "epochs"
    ? `${stage.name}: ${weights}; epochs ${round(stage.from)} to ${round(to)}.`
    : `${stage.name}: ${weights}; steps ${Math.round(stage.from)} to ${Math.round(to)}. Click to look at it alone.`;
}

const round = (epoch: number) => Number(epoch.toFixed(2));
