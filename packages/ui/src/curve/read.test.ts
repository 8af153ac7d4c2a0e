import { expect, it } from "vitest";
import { listNamed, meanWithin } from "./read.ts";
import { type CurveSeries, POINT } from "./types.ts";

const line = (id: string, more: Partial<CurveSeries> = {}): CurveSeries => ({
  id,
  label: id,
  color: "accent",
  x: new Float64Array(),
  values: new Float64Array(),
  ...more,
});

it("names the lines of a chart's own run before those of the runs beside it, and very many not at all", () => {
  const lines = [
    line("other", { is_beside: true }),
    line("ninth", { is_beside: true, is_quiet: true }),
    line("own"),
    line("own too"),
  ];
  expect(listNamed(lines).map(({ id }) => id)).toEqual(["own", "own too", "other"]);
});

it("B23: a mean over a stretch says on how many values it rests", () => {
  const x = Float64Array.of(1, 2, 3, 4);
  const part = line("consistency", { x, values: Float64Array.of(0.4, Number.NaN, 0.6, 1) });
  expect(meanWithin(part, [1, 3])).toEqual({ mean: 0.5, n: 2 });
  expect(meanWithin(part, [2, 2])).toBeNull();
});

it("leaves what was rolled back out of a mean, and weighs buckets by their values", () => {
  const part = line("accuracy", {
    x: Float64Array.of(1, 2, 2),
    values: Float64Array.of(1, 0, 0.5),
    flags: Uint8Array.of(0, POINT.rolled_back, 0),
  });
  expect(meanWithin(part, [0, 9])).toEqual({ mean: 0.75, n: 2 });
  const basis = {
    x: Float64Array.of(4, 12),
    values: Float64Array.of(1, 0),
    counts: Float64Array.of(1, 3),
  };
  expect(meanWithin({ ...part, basis }, [0, 20])).toEqual({ mean: 0.25, n: 4 });
});
