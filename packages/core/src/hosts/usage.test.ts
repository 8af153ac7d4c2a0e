import { expect, test } from "vitest";
import { addUsage, type HostUsage, USAGE_KEPT_SECS, usageCurve } from "./usage.ts";

const sample = (time_secs: number, change: Partial<HostUsage> = {}): HostUsage => ({
  time_secs,
  cpus: 2,
  cpu_share: 0.5,
  memory_bytes: 100,
  memory_used_bytes: 40,
  disk_bytes: 1000,
  disk_free_bytes: 400,
  gpus: [],
  gpu_problem: null,
  ...change,
});

test("batches add up without repeating anything, and an hour is kept", () => {
  const known = addUsage([], [sample(10), sample(15)]);
  const more = addUsage(known, [sample(15), sample(20)]);
  expect(more.map(({ time_secs }) => time_secs)).toEqual([10, 15, 20]);
  const later = addUsage(more, [sample(20 + USAGE_KEPT_SECS)]);
  expect(later.map(({ time_secs }) => time_secs)).toEqual([20, 20 + USAGE_KEPT_SECS]);
});

test("a clock that was set back begins anew, and a batch that is known repeats nothing", () => {
  const known = addUsage([], [sample(7200), sample(7205)]);
  expect(addUsage(known, [sample(7205)])).toEqual(known);
  const after = addUsage(known, [sample(10)]);
  expect(addUsage(after, [sample(15)]).map(({ time_secs }) => time_secs)).toEqual([10, 15]);
});

test("a curve breaks where nobody knows, and where the host did not say", () => {
  const { times, values } = usageCurve(
    [sample(0), sample(5, { cpu_share: null }), sample(10), sample(100)],
    ({ cpu_share }) => cpu_share,
  );
  expect([...times]).toEqual([0, 5, 10, 55, 100]);
  expect([...values]).toEqual([0.5, Number.NaN, 0.5, Number.NaN, 0.5]);
});
