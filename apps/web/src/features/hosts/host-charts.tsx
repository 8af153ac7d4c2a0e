import { formatBytes } from "@sightline/core/format";
import { type HostUsage, usageCurve } from "@sightline/core/hosts";
import { Curve, type CurveSeries, createCursor, type Extent, POINT } from "@sightline/ui/curve";
import { useMemo, useState } from "react";
import classes from "./host-page.module.css";

/** Stretches in minutes; the shortest that holds what is known is shown. */
const STRETCHES = [10, 30, 60];
const SHARE: Extent = [0, 1];

const formatMinutes = (minutes: number) => (minutes === 0 ? "now" : `${Math.round(minutes * 10) / 10} min`);
const formatShare = (share: number) => `${Math.round(100 * share)} %`;

/** The last hour of a host: what its processors and GPUs did, and how full their memories were. */
export function HostCharts({ samples }: { samples: readonly HostUsage[] }) {
  const [cursor] = useState(createCursor);
  const charts = useMemo(() => getCharts(samples), [samples]);
  const known = ((samples.at(-1)?.time_secs ?? 0) - (samples[0]?.time_secs ?? 0)) / 60;
  const stretch = STRETCHES.find((minutes) => minutes >= known) ?? 60;
  const extent = useMemo<Extent>(() => [-stretch, 0], [stretch]);
  return (
    <div className={classes.charts}>
      {charts.map(({ title, series, formatY }) => (
        <Curve
          key={title}
          title={title}
          series={series}
          cursor={cursor}
          height={132}
          x_label="minutes ago"
          x_extent={extent}
          y_at_least={SHARE}
          formatX={formatMinutes}
          formatY={formatY}
          empty="No measurement yet."
        />
      ))}
    </div>
  );
}

type Chart = { title: string; series: CurveSeries[]; formatY: (value: number) => string };

function getCharts(samples: readonly HostUsage[]): Chart[] {
  const newest = samples.at(-1);
  const line = (
    id: string,
    label: string,
    color: CurveSeries["color"],
    pick: (sample: HostUsage) => number | null,
  ): CurveSeries => {
    const { times, values } = usageCurve(samples, pick);
    const end = newest?.time_secs ?? 0;
    const flags = Uint8Array.from(values, (value) => (Number.isNaN(value) ? POINT.missing : 0));
    return { id, label, color, x: times.map((time) => (time - end) / 60), values, flags };
  };
  const ofMemory = (bytes: number) => (share: number) => `${formatShare(share)} of ${formatBytes(bytes)}`;
  const gpus = newest?.gpus ?? [];
  const charts: Chart[] = [];
  if (gpus.length > 0) {
    const of = (sample: HostUsage, uuid: string) => sample.gpus.find((gpu) => gpu.uuid === uuid);
    charts.push(
      {
        title: "GPUs: busy",
        formatY: formatShare,
        series: gpus.map(({ uuid, index }, k) =>
          line(uuid, `GPU ${index}`, `series-${k % 10}`, (sample) => of(sample, uuid)?.util ?? null),
        ),
      },
      {
        title: "GPUs: memory",
        formatY: formatShare,
        series: gpus.map(({ uuid, index, memory_bytes }, k) =>
          line(uuid, `GPU ${index}`, `series-${k % 10}`, (sample) => {
            const used = of(sample, uuid)?.used_bytes ?? null;
            return used === null || memory_bytes === 0 ? null : used / memory_bytes;
          }),
        ),
      },
    );
  }
  charts.push(
    {
      title: "Processors: busy",
      formatY: formatShare,
      series: [line("cpu", `${newest?.cpus ?? 0} cores`, "accent", ({ cpu_share }) => cpu_share)],
    },
    {
      title: "Memory",
      formatY: ofMemory(newest?.memory_bytes ?? 0),
      series: [
        line("memory", "used", "human", ({ memory_used_bytes, memory_bytes }) =>
          memory_bytes === 0 ? null : memory_used_bytes / memory_bytes,
        ),
      ],
    },
  );
  return charts;
}
