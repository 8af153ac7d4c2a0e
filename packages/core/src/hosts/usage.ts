/** One GPU as its driver tells of it; null is what the driver does not say, which is not the same as zero. */
export type GpuUsage = {
  index: number;
  uuid: string;
  name: string;
  memory_bytes: number;
  used_bytes: number | null;
  /** Share of time in [0, 1] in which it computed. */
  util: number | null;
  temperature_c: number | null;
  /** Cut into instances (MIG): the driver then tells no common utilisation. */
  mig: boolean;
};

/** How busy a host was at one moment. */
export type HostUsage = {
  /** By the server's clock, UTC seconds. */
  time_secs: number;
  cpus: number;
  /** Share of all processors in [0, 1] since the sample before; null for the first one. */
  cpu_share: number | null;
  memory_bytes: number;
  memory_used_bytes: number;
  /** Of the disk that holds the runs; null where the host can't say. */
  disk_bytes: number | null;
  disk_free_bytes: number | null;
  gpus: GpuUsage[];
  /** What the GPUs' driver complains of, in its own words, or null. */
  gpu_problem: string | null;
};

/** New samples of one host, oldest first. */
export type UsageBatch = { host_id: string; samples: HostUsage[] };

/** How long samples are kept, and how often they are taken while somebody looks. */
export const USAGE_KEPT_SECS = 3600;
export const USAGE_EVERY_SECS = 5;

/**
 * Adds a batch to what is known of a host; samples older than an hour go. A batch that ends before what is known was
 * measured after the clock was set back: it begins anew.
 */
export function addUsage(known: readonly HostUsage[], samples: readonly HostUsage[]): HostUsage[] {
  const last = known.at(-1)?.time_secs ?? Number.NEGATIVE_INFINITY;
  if ((samples.at(-1)?.time_secs ?? last) < last) return [...samples];
  const all = [...known, ...samples.filter(({ time_secs }) => time_secs > last)];
  const from = (all.at(-1)?.time_secs ?? 0) - USAGE_KEPT_SECS;
  return all.filter(({ time_secs }) => time_secs >= from);
}

/**
 * A curve over time from samples, with a NaN where so much time passed between two that nobody knows what was between
 * them: the host was away, or nobody looked.
 *
 * @returns Times and values of equal length; a value is NaN where `pick` gives null.
 */
export function usageCurve(
  samples: readonly HostUsage[],
  pick: (sample: HostUsage) => number | null,
): { times: Float64Array; values: Float64Array } {
  const times: number[] = [];
  const values: number[] = [];
  for (const sample of samples) {
    const before = times.at(-1);
    if (before !== undefined && sample.time_secs - before > 4 * USAGE_EVERY_SECS) {
      times.push((before + sample.time_secs) / 2);
      values.push(Number.NaN);
    }
    times.push(sample.time_secs);
    values.push(pick(sample) ?? Number.NaN);
  }
  return { times: Float64Array.from(times), values: Float64Array.from(values) };
}
