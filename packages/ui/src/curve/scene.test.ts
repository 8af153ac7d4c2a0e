import { describe, expect, it } from "vitest";
import { makeClimb, makeSteps } from "../../gallery/random.ts";
import { formatTick, formatValue, makeXAxis, makeYAxis } from "./axis.ts";
import { getPlotBox, getShapes } from "./picture.ts";
import { readAt } from "./read.ts";
import { buildScene, type SceneOptions } from "./scene.ts";
import { type CurveSeries, POINT } from "./types.ts";

const box = getPlotBox(440, 168);
const options: SceneOptions = { kind: "lines", scale: "linear", smoothing: 0, window: [0, 20], plot: box };
const make = (x: number[], values: number[], flags?: number[]): CurveSeries => ({
  id: "a",
  label: "a",
  color: "total",
  x: Float64Array.from(x),
  values: Float64Array.from(values),
  ...(flags ? { flags: Uint8Array.from(flags) } : {}),
});

describe("smoothing", () => {
  it("skips what was rolled back", () => {
    const series = make([1, 2, 2, 3], [1, 100, 1, 1], [0, POINT.rolled_back, 0, 0]);
    const [line] = buildScene([series], { ...options, smoothing: 0.5 }).lines.filter(
      (one) => one.role === "value",
    );
    expect(line?.y).toEqual([1, 1, 1]);
  });

  it("draws the values behind, and reads out both", () => {
    const series = make([1, 2], [1, 0]);
    const scene = buildScene([series], { ...options, smoothing: 0.9 });
    expect(scene.lines.map((line) => line.role)).toEqual(["raw", "value"]);
    expect(readAt(series, 2, 0.9)).toMatchObject({ value: 0, smoothed: expect.closeTo(0.474, 3) });
  });
});

describe("segments", () => {
  it("B29: drops nothing when steps go back, and begins a new segment", () => {
    const scene = buildScene([make([247, 248, 249, 203, 204], [1, 2, 3, 4, 5])], {
      ...options,
      window: [200, 250],
    });
    expect(scene.lines.map((line) => line.x)).toEqual([
      [247, 248, 249],
      [203, 204],
    ]);
  });

  it("B31: x never runs backwards after a resume; the replaced steps are drawn behind and not read out", () => {
    const x = [...Array(16).keys(), ...Array.from({ length: 11 }, (_, k) => 10 + k)];
    const values = x.map((step, k) => (k < 16 ? step : 100 + step));
    const flags = x.map((step, k) => (k < 16 && step >= 10 ? POINT.rolled_back : 0));
    const series = make(x, values, flags);
    const scene = buildScene([series], options);
    const live = scene.lines.filter((line) => line.role === "value");
    expect(live).toHaveLength(1);
    expect(live[0]?.x).toEqual([...Array(21).keys()]);
    expect(scene.lines.find((line) => line.role === "rolled_back")?.x).toEqual([9, 10, 11, 12, 13, 14, 15]);
    expect(readAt(series, 12, 0)?.value).toBe(112);
  });
});

describe("odd numbers", () => {
  it("B23, B34: a NaN or an infinity is a mark and a gap, and bends no axis", () => {
    const series = make([1, 2, 3, 4], [0.4, Number.NaN, 0.6, Number.POSITIVE_INFINITY]);
    const scene = buildScene([series], options);
    expect(scene.non_finite.map((mark) => mark.kind)).toEqual(["nan", "inf"]);
    expect(scene.y_axis.to).toBeLessThan(1);
    expect(scene.dots).toHaveLength(2);
    const roles = getShapes(scene, box, { bands: [], marks: [], selected: null, faded: null }).map(
      (shape) => shape.role,
    );
    expect(roles).toContain("nan");
    expect(roles).toContain("inf");
    expect(readAt(series, 2, 0)?.value).toBeNaN();
  });

  it("tells nothing measured from not a number", () => {
    const series = make([1, 2, 3], [1, Number.NaN, 3], [0, POINT.missing, 0]);
    expect(buildScene([series], options).non_finite).toEqual([]);
    expect(readAt(series, 2, 0)?.value).toBeNull();
  });

  it("counts what a log axis cannot show", () => {
    const scene = buildScene([make([1, 2, 3], [0.01, 0, 0.1])], { ...options, scale: "log" });
    expect(scene.off_scale).toBe(1);
    expect(scene.y_axis.ticks).toEqual([0.01, 0.1]);
  });
});

describe("smoothing", () => {
  const values = Float64Array.from(
    { length: 100_000 },
    (_, k) => Math.sin(k / 900) + ((k * 7919) % 101) / 100,
  );
  const x = Float64Array.from(values.keys());
  const line = (length: number): CurveSeries => ({
    id: "a",
    label: "a",
    color: "total",
    x: x.subarray(0, length),
    values: values.subarray(0, length),
  });

  it("B36: does not depend on how much of a run is there, nor on the window or the thinning", () => {
    const drawn = (length: number, window: readonly [number, number]) => {
      const scene = buildScene([line(length)], { ...options, smoothing: 0.9, window });
      const found = scene.lines.filter(({ role }) => role === "value");
      return new Map(found.flatMap((one) => one.x.map((at, k) => [at, one.y[k]] as const)));
    };
    const whole = drawn(100_000, [0, 10_000]);
    const beginning = drawn(10_000, [0, 10_000]);
    const near = drawn(100_000, [4000, 4200]);
    expect(whole.size).toBeGreaterThan(100);
    expect([...beginning].filter(([at]) => at < 9900)).toEqual([...whole].filter(([at]) => at < 9900));
    const shared = [...near].filter(([at]) => whole.has(at));
    expect(shared.length).toBeGreaterThan(0);
    for (const [at, value] of shared) expect(value).toBe(whole.get(at));
  });
});

describe("stack", () => {
  it("adds up, and breaks where a part is missing", () => {
    const x = [1, 2, 3];
    const scene = buildScene(
      [
        { ...make(x, [0.5, 0.5, 0.5]), id: "a" },
        { ...make(x, [0.25, Number.NaN, 0.25], [0, POINT.missing, 0]), id: "b" },
      ],
      { ...options, kind: "stacked" },
    );
    expect(scene.areas.map((area) => [area.series_id, area.low, area.high])).toEqual([
      ["a", [0], [0.5]],
      ["b", [0.5], [0.75]],
      ["a", [0], [0.5]],
      ["b", [0.5], [0.75]],
    ]);
  });
});

describe("readings", () => {
  it("take the nearest point within its neighbour's distance, and nothing beyond the ends", () => {
    const series = make([10, 20, 30], [1, 2, 3]);
    expect(readAt(series, 17, 0)?.x).toBe(20);
    expect(readAt(series, null, 0)?.value).toBe(3);
    expect(readAt(series, 45, 0)).toBeNull();
  });
});

describe("axes", () => {
  it("label round values and hold what they must", () => {
    expect(makeXAxis([0, 190], 4).ticks).toEqual([0, 50, 100, 150]);
    expect(makeYAxis([0.2, 0.97], { scale: "linear", count: 3, atLeast: [0, 1] })).toMatchObject({
      from: 0,
      to: 1,
    });
    expect(makeYAxis([0, 1.03], { scale: "linear", count: 3 }).to).toBeCloseTo(1.1);
    expect(makeYAxis(null, { scale: "linear", count: 3 })).toMatchObject({ from: 0, to: 1 });
    expect(makeYAxis([5e-7, 5e-7], { scale: "linear", count: 3 }).from).toBeLessThan(5e-7);
    const rate = makeYAxis([0, 5e-7], { scale: "linear", count: 3 });
    expect(rate.ticks.map((tick) => formatTick(tick, rate))).toEqual(["0", "2e-7", "4e-7"]);
    expect([0.98214, 12.345, 1234.5, 0, -0.5, 3e-7].map(formatValue)).toEqual([
      "0.982",
      "12.35",
      "1235",
      "0",
      "−0.500",
      "3.00e−7",
    ]);
  });
});

it("the same data give the same picture", () => {
  const series: CurveSeries[] = ["format", "accuracy"].map((id, k) => ({
    id,
    label: id,
    color: id as "format" | "accuracy",
    x: makeSteps(5000),
    values: makeClimb(k, 5000, 0.4, 0.95),
  }));
  const draw = () =>
    getShapes(buildScene(series, { ...options, window: [0, 5000] }), box, {
      bands: [{ id: "1", label: "one", from: 0, to: null }],
      marks: [{ id: "m", x: 400, kind: "checkpoint", label: "checkpoint-400" }],
      selected: 100,
      faded: null,
    });
  const shapes = draw();
  expect(draw()).toEqual(shapes);
  expect(shapes.map(({ role, d }) => `${role} ${d.split(/[ML]/).length - 1}`)).toMatchInlineSnapshot(`
    [
      "value 160",
      "value 159",
      "mark-checkpoint 1",
      "selected 1",
    ]
  `);
});
