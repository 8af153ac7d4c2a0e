import { useMemo, useSyncExternalStore } from "react";
import { formatValue } from "./axis.ts";
import { getCssColor } from "./colors.ts";
import type { Cursor } from "./cursor.ts";
import classes from "./curve.module.css";
import { meanWithin, type Reading, readAt } from "./read.ts";
import type { CurveSeries, Extent } from "./types.ts";

export type FormatReading = (value: number) => string;

/** Value, interval and N of one reading, as text. */
export function describeReading(reading: Reading | null, format: FormatReading): string {
  if (!reading) return "–";
  const value = reading.value === null ? "–" : format(reading.value);
  const parts = [value];
  if (reading.low !== null && reading.high !== null)
    parts.push(`[${format(reading.low)}, ${format(reading.high)}]`);
  if (reading.n !== null) parts.push(`N ${Math.round(reading.n)}`);
  if (reading.sampled) parts.push("sampled");
  return parts.join(" ");
}

/** The legend that reads out: each series with its value under the cursor, or its last one. */
export function Readout({
  series,
  cursor,
  smoothing,
  format = formatValue,
  hidden,
  onToggle,
  onHighlight,
}: {
  series: readonly CurveSeries[];
  cursor: Cursor;
  smoothing: number;
  format: FormatReading | undefined;
  hidden: ReadonlySet<string>;
  onToggle: (id: string) => void;
  onHighlight: (id: string | null) => void;
}) {
  const at = useSyncExternalStore(cursor.subscribe, cursor.get);
  const readings = useMemo(() => series.map((one) => readAt(one, at, smoothing)), [series, at, smoothing]);
  return (
    <ul className={classes.readout}>
      {series.map((one, k) => {
        const reading = readings[k] ?? null;
        const isHidden = hidden.has(one.id);
        // A second number for each of many would break the line and move the charts under the pointer.
        const showsAverage = at !== null && series.length === 1;
        return (
          <li key={one.id}>
            <button
              type="button"
              className={classes.entry}
              aria-pressed={!isHidden}
              title={isHidden ? `Show ${one.label}` : `Hide ${one.label}`}
              onClick={() => onToggle(one.id)}
              onPointerEnter={() => onHighlight(one.id)}
              onPointerLeave={() => onHighlight(null)}
              onFocus={() => onHighlight(one.id)}
              onBlur={() => onHighlight(null)}
            >
              <Swatch series={one} />
              <span className={classes.label}>{one.label}</span>
              {!isHidden && <Value reading={reading} format={format} showsAverage={showsAverage} />}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Value({
  reading,
  format,
  showsAverage,
}: {
  reading: Reading | null;
  format: FormatReading;
  showsAverage: boolean;
}) {
  if (!reading) return <span className={classes.value}>–</span>;
  const isOdd = reading.value !== null && !Number.isFinite(reading.value);
  return (
    <>
      <span className={classes.value} data-odd={isOdd || undefined}>
        {reading.value === null ? "–" : format(reading.value)}
      </span>
      {showsAverage && reading.smoothed !== null && (
        <span className={classes.detail}>≈ {format(reading.smoothed)}</span>
      )}
      {reading.low !== null && reading.high !== null && (
        <span className={classes.detail}>
          [{format(reading.low)}, {format(reading.high)}]
        </span>
      )}
      {reading.n !== null && (
        <span className={classes.detail}>
          N {Math.round(reading.n)}
          {reading.sampled ? " sampled" : ""}
        </span>
      )}
    </>
  );
}

/** What a line amounts to over the stretch that is in sight. */
export function MeanInSight({
  series,
  window,
  format = formatValue,
}: {
  series: CurveSeries;
  window: Extent;
  format: FormatReading | undefined;
}) {
  const found = useMemo(() => meanWithin(series, window), [series, window]);
  return (
    <p className={classes.mean}>
      <bdi>{series.label}</bdi>
      {found === null
        ? ": no value in sight"
        : `: mean ${format(found.mean)} over ${found.n.toLocaleString("en")} ${found.n === 1 ? "value" : "values"} in sight`}
    </p>
  );
}

const DASHES = { solid: undefined, dashed: "4 2", dotted: "1.5 2" } as const;

function Swatch({ series }: { series: CurveSeries }) {
  return (
    <svg className={classes.swatch} width="14" height="8" aria-hidden="true">
      <path
        d="M1 4H13"
        stroke={getCssColor(series.color)}
        strokeWidth="2"
        strokeDasharray={DASHES[series.dash ?? "solid"]}
        strokeLinecap="round"
      />
    </svg>
  );
}
