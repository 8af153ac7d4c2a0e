import { expect, it } from "vitest";
import { listNamed } from "./read.ts";
import type { CurveSeries } from "./types.ts";

it("names the lines of a chart's own run before those of the runs beside it, and very many not at all", () => {
  const line = (id: string, more: Partial<CurveSeries> = {}): CurveSeries => ({
    id,
    label: id,
    color: "accent",
    x: new Float64Array(),
    values: new Float64Array(),
    ...more,
  });
  const lines = [
    line("other", { is_beside: true }),
    line("ninth", { is_beside: true, is_quiet: true }),
    line("own"),
    line("own too"),
  ];
  expect(listNamed(lines).map(({ id }) => id)).toEqual(["own", "own too", "other"]);
});
