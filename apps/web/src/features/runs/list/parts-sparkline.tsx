import type { MetricWindow, RunSummary } from "@sightline/core/runs";
import { partMean } from "@sightline/core/runs";
import { REWARD_PARTS } from "@sightline/core/wire";
import { formatValue, type SparkLine, Sparkline } from "@sightline/ui/curve";
import { useQueries } from "@tanstack/react-query";
import { trpc } from "../../../app/clients.ts";
import classes from "./runs-table.module.css";

const POINTS = 48;

/** The three reward parts of a run so far, small, with their newest values. Asked anew when the run has moved on. */
export function PartsSparkline({ run }: { run: RunSummary }) {
  const last = run.step ?? 0;
  const end = Math.max(run.max_steps ?? 0, last, 1);
  const stride = Math.max(1, Math.ceil(end / POINTS));
  const upTo = run.ended_secs === null ? Math.floor(last / stride) * stride : last;
  const windows = useQueries({
    queries: REWARD_PARTS.map((part) => ({
      ...trpc.runs.window.queryOptions({
        run_id: run.run_id,
        name: partMean(part),
        from_step: 0,
        to_step: upTo,
        points: POINTS,
      }),
      enabled: upTo > 0,
      staleTime: Number.POSITIVE_INFINITY,
      placeholderData: (before: MetricWindow | undefined) => before,
    })),
  });
  if (upTo === 0) return <span className={classes.quiet}>–</span>;
  const lines = windows.map((window, k) => toLine(window.data, REWARD_PARTS[k] ?? "format", end));
  return (
    <span className={classes.spark}>
      <Sparkline lines={lines} label={describe(lines)} width={80} height={22} />
      <span className={classes.newest} aria-hidden="true">
        {lines.map(({ id, y }) => (
          <span key={id} data-part={id} title={id}>
            {formatShort(y.findLast(Number.isFinite))}
          </span>
        ))}
      </span>
    </span>
  );
}

/** The mean of each bucket that counts. */
function toLine(window: MetricWindow | undefined, part: SparkLine["color"] & string, end: number): SparkLine {
  const x: number[] = [];
  const y: number[] = [];
  for (const { rolled_back, buckets } of window?.series ?? []) {
    if (rolled_back) continue;
    buckets.index.forEach((index, k) => {
      const n = buckets.n[k] ?? 0;
      x.push(Math.min(1, ((index + 0.5) * buckets.width) / end));
      y.push(n === 0 ? Number.NaN : (buckets.sum[k] ?? 0) / n);
    });
  }
  return { id: part, color: part, x, y };
}

function describe(lines: readonly SparkLine[]): string {
  return lines.map(({ id, y }) => `${id} ${formatShort(y.findLast(Number.isFinite))}`).join(", ");
}

function formatShort(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "–" : formatValue(value).slice(0, 4);
}
