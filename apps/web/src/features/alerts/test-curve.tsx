import type { AlertCurve, AlertEpisode } from "@sightline/core/alerts";
import { getCssColor } from "@sightline/ui/curve";
import classes from "./alerts.module.css";

const WIDTH = 360;
const HEIGHT = 46;
const TOP = 11;
const COLORS = ["accent", "accuracy"] as const;

/** What the rule looks at over a run's steps, with a mark where it fires and a stretch where the cause holds. */
export function TestCurve({
  curve,
  episodes,
  name,
}: {
  curve: AlertCurve;
  episodes: readonly AlertEpisode[];
  name: string;
}) {
  const steps = curve.flatMap((line) => line.steps);
  const last = Math.max(1, ...steps);
  const values = curve.flatMap((line) => line.values.filter((value) => value !== null));
  const top = Math.max(0, ...values);
  const x = (step: number) => ((step / last) * (WIDTH - 8) + 4).toFixed(1);
  const y = (value: number) =>
    (HEIGHT - 3 - (Math.max(0, value) / (top || 1)) * (HEIGHT - TOP - 5)).toFixed(1);
  const labels = curve.map(({ label }) => label).join(" and ");
  const marks = episodes.map(({ from_step }) => `step ${from_step}`).join(", ");
  return (
    <figure className={classes.curve}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${labels}${marks === "" ? ", no mark" : `, marks at ${marks}`}`}
      >
        {episodes.map(({ episode_id, from_step, until_step }) => (
          <rect
            key={episode_id}
            x={x(from_step)}
            y={TOP}
            width={Math.max(2, Number(x(until_step ?? last)) - Number(x(from_step)))}
            height={HEIGHT - TOP}
            fill="var(--sl-wrong-soft)"
          />
        ))}
        <path d={`M0 ${HEIGHT - 1}H${WIDTH}`} stroke={getCssColor("line")} fill="none" />
        {curve.map(({ label, steps: at, values: of }, k) => (
          <path
            key={label}
            d={trace(at, of, x, y)}
            stroke={getCssColor(COLORS[k] ?? "accent")}
            strokeWidth={1.3}
            strokeDasharray={k === 0 ? undefined : "4 2"}
            vectorEffect="non-scaling-stroke"
            fill="none"
          />
        ))}
        {episodes.map(({ episode_id, from_step }) => (
          <path
            key={episode_id}
            data-fired-at={from_step}
            d={`M${Number(x(from_step)) - 4} 1h8l-4 8z`}
            fill={getCssColor("wrong")}
          />
        ))}
      </svg>
      <figcaption className={classes.quiet}>
        <span>{labels}</span>
        <span>
          {top === 0 ? "0 throughout" : `up to ${Number(top.toPrecision(3))}`} · {last} steps
        </span>
      </figcaption>
    </figure>
  );
}

function trace(
  steps: readonly number[],
  values: readonly (number | null)[],
  x: (step: number) => string,
  y: (value: number) => string,
): string {
  let path = "";
  let isOpen = false;
  steps.forEach((step, k) => {
    const value = values[k] ?? null;
    if (value !== null) path += `${isOpen ? "L" : "M"}${x(step)} ${y(value)}`;
    isOpen = value !== null;
  });
  return path;
}
