import { expect, test } from "vitest";
import { createTimeScale } from "../timeline/time-scale.ts";
import { drawCurve, type OverlapPoint } from "./overlap-curve.ts";

const scale = createTimeScale({ from_secs: 0, to_secs: 10 }, 100);
const toY = (overlap: number) => 100 - overlap * 100;

function point(time_secs: number, overlap: number | null, kept = false): OverlapPoint {
  return { frame: time_secs, time_secs, kept, overlap, forward: overlap, backward: null, failure: null };
}

test("each key-frame begins a stretch anew at 1", () => {
  const points = [point(0, null, true), point(1, 0.8), point(2, 0.4, true), point(3, 0.9)];
  expect(drawCurve(points, scale, toY, ({ overlap }) => overlap)).toBe(
    "M0.0 0.0L10.0 20.0L20.0 60.0M20.0 0.0L30.0 10.0",
  );
});

test("a frame without a measure leaves a gap", () => {
  const points = [point(0, null, true), point(1, 0.8), point(2, null), point(3, 0.7)];
  expect(drawCurve(points, scale, toY, ({ overlap }) => overlap)).toBe("M0.0 0.0L10.0 20.0M30.0 30.0");
});

test("points of one column keep the lowest and the highest", () => {
  const crowd = createTimeScale({ from_secs: 0, to_secs: 10_000 }, 10);
  const points = [
    point(0, 0.5),
    ...Array.from({ length: 300 }, (_, i) => point(i + 1, i === 150 ? 0.1 : 0.6)),
  ];
  const path = drawCurve(points, crowd, toY, ({ overlap }) => overlap);
  expect(path).toContain(" 90.0");
  expect(path.split("L").length).toBeLessThan(6);
});
