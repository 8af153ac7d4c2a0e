import type { Extent } from "./types.ts";

export type Scale = "linear" | "log";

/** What an axis shows: where it begins and ends, and where it is labelled. */
export type Axis = { scale: Scale; from: number; to: number; ticks: number[] };

/** The step among 1, 2, 5 × 10ⁿ that cuts a span into about `count` parts. */
function getTickStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const scaled = rough / power;
  const factor = scaled > 7.07 ? 10 : scaled > 3.16 ? 5 : scaled > 1.41 ? 2 : 1;
  return factor * power;
}

/** Multiples of `step` within a span. */
function getMultiples(from: number, to: number, step: number): number[] {
  const ticks: number[] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k += 1)
    ticks.push(tidy(k * step, step));
  return ticks;
}

/** A multiple of `step` without the noise of multiplication. */
function tidy(value: number, step: number): number {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)) + 1);
  return digits > 20 ? value : Number(value.toFixed(digits)) + 0;
}

/** An x axis over exactly this extent. */
export function makeXAxis(extent: Extent, count: number): Axis {
  const [from, to] = extent[1] > extent[0] ? extent : [extent[0] - 0.5, extent[0] + 0.5];
  return { scale: "linear", from, to, ticks: getMultiples(from, to, getTickStep(to - from, count)) };
}

/**
 * A y axis that holds `extent` and ends on round values, so that it changes seldom while a run goes on.
 *
 * @param atLeast  What the axis shows in any case, for instance [0, 1] for a rate.
 */
export function makeYAxis(
  extent: Extent | null,
  { scale, count, atLeast }: { scale: Scale; count: number; atLeast?: Extent | undefined },
): Axis {
  if (scale === "log") return makeLogAxis(extent);
  let low = Math.min(extent?.[0] ?? Number.POSITIVE_INFINITY, atLeast?.[0] ?? Number.POSITIVE_INFINITY);
  let high = Math.max(extent?.[1] ?? Number.NEGATIVE_INFINITY, atLeast?.[1] ?? Number.NEGATIVE_INFINITY);
  if (!(low <= high)) [low, high] = [0, 1];
  if (high - low < Number.EPSILON * 8 * Math.max(Math.abs(low), Math.abs(high), 1e-300)) {
    const room = Math.abs(low) > 0 ? Math.abs(low) * 0.5 : 1;
    [low, high] = [low - room, high + room];
  }
  const step = getTickStep(high - low, count);
  const part = step / 5;
  const from = tidy(Math.floor(low / part + 1e-9) * part, part);
  const to = tidy(Math.ceil(high / part - 1e-9) * part, part);
  return { scale, from, to, ticks: getMultiples(from, to, step) };
}

function makeLogAxis(extent: Extent | null): Axis {
  const low = extent && extent[0] > 0 ? extent[0] : 1e-3;
  const high = extent && extent[1] > 0 ? extent[1] : 1;
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9));
  const stride = Math.max(1, Math.ceil((to - from) / 5));
  const ticks: number[] = [];
  for (let power = from; power <= to; power += stride) ticks.push(Number(`1e${power}`));
  return { scale: "log", from: Number(`1e${from}`), to: Number(`1e${to}`), ticks };
}

/** A function from values of an axis to pixels between `start` and `end`. */
export function makeProjection(axis: Axis, start: number, end: number): (value: number) => number {
  if (axis.scale === "log") {
    const from = Math.log10(axis.from);
    const factor = (end - start) / (Math.log10(axis.to) - from);
    return (value) => start + (Math.log10(value) - from) * factor;
  }
  const factor = (end - start) / (axis.to - axis.from);
  return (value) => start + (value - axis.from) * factor;
}

/** A value as the label of a tick: as many decimals as the ticks' distance needs; no more than it must hold. */
export function formatTick(value: number, axis: Axis): string {
  if (axis.scale === "log") return formatValue(value);
  const step =
    axis.ticks.length > 1 ? (axis.ticks[1] as number) - (axis.ticks[0] as number) : axis.to - axis.from;
  const size = Math.max(Math.abs(axis.from), Math.abs(axis.to));
  if (size >= 1e6) return formatScaled(value, 1e6, "M", step);
  if (size >= 1e4) return formatScaled(value, 1e3, "k", step);
  if (size < 1e-3)
    return value === 0
      ? "0"
      : value.toExponential(Math.max(0, countDecimals(step / 10 ** Math.floor(Math.log10(size)))));
  return value.toFixed(countDecimals(step));
}

function countDecimals(step: number): number {
  if (!(step > 0)) return 0;
  return Math.min(8, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

function formatScaled(value: number, unit: number, suffix: string, step: number): string {
  return value === 0 ? "0" : `${(value / unit).toFixed(countDecimals(step / unit))}${suffix}`;
}

/** A value for reading: three or four significant digits, a true minus sign. */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text: string;
  if (Number.isInteger(value) && size < 1e6) text = String(value);
  else if (size >= 1e6 || size < 1e-3) text = value.toExponential(2);
  else if (size >= 1000) text = value.toFixed(0);
  else if (size >= 100) text = value.toFixed(1);
  else if (size >= 10) text = value.toFixed(2);
  else text = value.toFixed(3);
  return text.replace(/-/g, "−");
}
