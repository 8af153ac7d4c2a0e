import type { XMap } from "@sightline/core/runs";
import type { CurveBand, CurveMark, CurveProps, CurveSeries, Extent } from "@sightline/ui/curve";

/** How the places of an axis are written. */
export type XWords = { label: string; format: CurveProps["formatX"] };

/** A length of time as the axis writes it: 45 s, 2:05 min, 1:20:00 h. */
function formatSecs(secs: number): string {
  const whole = Math.round(secs);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds)}`;
  return `${minutes}:${two(seconds)}`;
}

/** What the axis of a kind counts, in words. */
export function describeX(kind: XMap["kind"]): XWords {
  if (kind === "time") return { label: "time since the first step, h:mm:ss", format: formatSecs };
  if (kind === "epoch") return { label: "epoch", format: (epoch) => String(Number(epoch.toFixed(2))) };
  const label = { step: "step", tokens: "tokens", stage: "steps of the stage" }[kind];
  return { label, format: undefined };
}

/** A line over another axis. Steps that have no place there are left out. */
export function moveSeries(line: CurveSeries, map: XMap): CurveSeries {
  if (map.kind === "step") return line;
  return {
    ...line,
    x: line.x.map(map.toX),
    ...(line.basis ? { basis: { ...line.basis, x: line.basis.x.map(map.toX) } } : {}),
  };
}

/** What a line does since its x fell last: where stages lie over each other, its newest stage. */
export function cutToNewest(line: CurveSeries): CurveSeries {
  let from = 0;
  for (let k = 1; k < line.x.length; k += 1) if ((line.x[k] as number) < (line.x[k - 1] as number)) from = k;
  const cut = (array: Float64Array | undefined) => array?.slice(from);
  const [low, high, n] = [cut(line.low), cut(line.high), cut(line.n)];
  const flags = line.flags?.slice(from);
  return {
    id: line.id,
    label: line.label,
    color: line.color,
    ...(line.dash ? { dash: line.dash } : {}),
    x: line.x.slice(from),
    values: line.values.slice(from),
    ...(low && high ? { low, high } : {}),
    ...(n ? { n } : {}),
    ...(flags ? { flags } : {}),
  };
}

/** Stages and events over another axis; where stages lie over each other there are no bands to draw. */
export function moveBands(bands: readonly CurveBand[], map: XMap): readonly CurveBand[] {
  if (map.kind === "step") return bands;
  if (map.kind === "stage") return [];
  return bands.map((band) => ({
    ...band,
    from: map.toX(band.from),
    to: band.to === null ? null : map.toX(band.to),
  }));
}

export function moveMarks(marks: readonly CurveMark[], map: XMap): readonly CurveMark[] {
  return map.kind === "step" ? marks : marks.map((mark) => ({ ...mark, x: map.toX(mark.x) }));
}

/** A stretch of steps over another axis; null where it has no one place there. */
export function moveExtent(extent: Extent, map: XMap): Extent | null {
  if (map.kind === "step") return extent;
  if (map.kind === "stage") return null;
  const moved: Extent = [map.toX(extent[0]), map.toX(extent[1])];
  return moved[0] < moved[1] ? moved : null;
}
