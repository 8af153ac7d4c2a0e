import { describe, expect, it } from "vitest";
import {
  clipToView,
  getArea,
  getHull,
  invert,
  measureOverlap,
  measureReleasedOverlap,
  type Point,
  projectView,
} from "./geometry.ts";
import { createRandom } from "./testing.ts";
import type { Homography } from "./types.ts";

const VIEW = { width: 640, height: 360 };

const shift = (x: number, y: number): Homography => [1, 0, x, 0, 1, y, 0, 0, 1];

/** About the middle of the view; above 1 the candidate covers more of the scene than the key-frame. */
const zoom = (scale: number): Homography => [
  scale,
  0,
  (VIEW.width / 2) * (1 - scale),
  0,
  scale,
  (VIEW.height / 2) * (1 - scale),
  0,
  0,
  1,
];

function turn(degrees: number): Homography {
  const c = Math.cos((degrees * Math.PI) / 180);
  const s = Math.sin((degrees * Math.PI) / 180);
  const [x, y] = [VIEW.width / 2, VIEW.height / 2];
  return [c, -s, x - c * x + s * y, s, c, y - s * x - c * y, 0, 0, 1];
}

describe("overlap", () => {
  it("equals the closed form of a pan", () => {
    const random = createRandom(2);
    for (let i = 0; i < 500; i += 1) {
      const [x, y] = [(random() * 4 - 2) * VIEW.width, (random() * 4 - 2) * VIEW.height];
      const expected = Math.max(0, 1 - Math.abs(x) / VIEW.width) * Math.max(0, 1 - Math.abs(y) / VIEW.height);
      expect(measureOverlap(shift(x, y), VIEW)).toBeCloseTo(expected, 12);
      expect(measureOverlap(shift(-x, -y), VIEW)).toBeCloseTo(expected, 12);
    }
  });

  it("equals the closed form of a zoom, forward and backward", () => {
    for (const z of [1.01, 1.4, 1.5, 2, 7]) {
      expect(measureOverlap(zoom(1 / z), VIEW)).toBeCloseTo(1 / z ** 2, 12);
      expect(measureOverlap(zoom(z), VIEW)).toBe(1);
      const back = invert(zoom(z));
      expect(back && measureOverlap(back, VIEW)).toBeCloseTo(1 / z ** 2, 12);
    }
  });

  it("equals the closed form of a quarter turn and of a half turn", () => {
    expect(measureOverlap(turn(90), VIEW)).toBeCloseTo(VIEW.height / VIEW.width, 12);
    expect(measureOverlap(turn(180), VIEW)).toBeCloseTo(1, 12);
  });

  it("is the share of the key-frame's view where sizes differ", () => {
    const half: Homography = [2, 0, 0, 0, 2, 0, 0, 0, 1];
    expect(measureOverlap(half, { width: 320, height: 180 }, VIEW)).toBe(1);
    expect(measureOverlap(shift(0, 0), { width: 320, height: 180 }, VIEW)).toBeCloseTo(0.25, 12);
  });

  it("is the same area from both sides of a motion that keeps areas", () => {
    const random = createRandom(3);
    for (let i = 0; i < 500; i += 1) {
      const [a, b, c, d, e, f] = turn(random() * 360);
      const h: Homography = [a, b, c + random() * 400 - 200, d, e, f + random() * 400 - 200, 0, 0, 1];
      const back = invert(h);
      expect(back).not.toBeNull();
      if (back !== null) expect(measureOverlap(h, VIEW)).toBeCloseTo(measureOverlap(back, VIEW) ?? -1, 9);
    }
  });

  it("never leaves [0, 1] and never crashes on any nine numbers", () => {
    const random = createRandom(4);
    const scales = [1e-12, 1e-6, 1e-3, 1, 1e3, 1e9, 1e300];
    const seen = { measured: 0, refused: 0 };
    for (let i = 0; i < 20_000; i += 1) {
      const h = Array.from(
        { length: 9 },
        () => (random() * 2 - 1) * (scales[Math.floor(random() * scales.length)] as number),
      ) as unknown as Homography;
      const overlap = measureOverlap(h, VIEW);
      if (overlap === null) seen.refused += 1;
      else {
        seen.measured += 1;
        expect(overlap).toBeGreaterThanOrEqual(0);
        expect(overlap).toBeLessThanOrEqual(1);
      }
      const released = measureReleasedOverlap(h, VIEW);
      expect(released).toBeGreaterThanOrEqual(0);
      expect(released).toBeLessThanOrEqual(1);
      invert(h);
    }
    expect(seen.measured).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(1000);
  });

  it("refuses folded, mirrored, collapsed and non-finite homographies", () => {
    const folded: Homography = [1, 0, 0, 0, 1, 0, 1 / 320, 0, -1];
    const mirrored: Homography = [-1, 0, 640, 0, 1, 0, 0, 0, 1];
    const point: Homography = [0, 0, 100, 0, 0, 100, 0, 0, 1];
    const line: Homography = [1, 0, 0, 0, 0, 50, 0, 0, 1];
    for (const h of [folded, mirrored, point, line]) {
      expect(projectView(h, VIEW)).toBeNull();
      expect(measureOverlap(h, VIEW)).toBeNull();
    }
    expect(() => measureOverlap([1, 0, 0, 0, 1, 0, 0, 0, Number.NaN], VIEW)).toThrow(RangeError);
  });

  it("does not depend on the homography's scale or sign", () => {
    const h = turn(20);
    for (const factor of [-1, 1e-3, -250]) {
      const scaled = h.map((value) => value * factor) as unknown as Homography;
      expect(measureOverlap(scaled, VIEW)).toBeCloseTo(measureOverlap(h, VIEW) ?? -1, 9);
    }
  });
});

describe("released overlap", () => {
  it("agrees with the exact one on sound homographies", () => {
    for (const h of [shift(200, -30), zoom(0.7), zoom(1.4), turn(33)]) {
      expect(measureReleasedOverlap(h, VIEW)).toBeCloseTo(measureOverlap(h, VIEW) ?? -1, 12);
    }
  });

  it("counts the lobes of a quad that crosses itself", () => {
    // The quad is (640, 180), (0, 180), (0, -180), (640, 540): two triangles that meet at (320, 180).
    const h: Homography = [-1, 0, 640, -180 / 320, 1, 180, -1 / 320, 0, 1];
    const lobe = (320 * 360) / 2 - (160 * 180) / 2;
    expect(measureReleasedOverlap(h, VIEW)).toBeCloseTo((2 * lobe) / (640 * 360), 12);
    expect(measureOverlap(h, VIEW)).toBeNull();
  });
});

describe("polygons", () => {
  it("keeps the area of a concave polygon that falls apart when clipped", () => {
    const bracket: Point[] = [
      [-100, 0],
      [100, 0],
      [100, 200],
      [-100, 200],
      [-100, 150],
      [50, 150],
      [50, 50],
      [-100, 50],
    ];
    expect(getArea(clipToView(bracket, VIEW))).toBe(100 * 200 - 50 * 100);
    expect(getArea(clipToView(bracket, { width: 40, height: 360 }))).toBe(2 * 40 * 50);
  });

  it("hull of a grid is its frame", () => {
    const grid: Point[] = [];
    for (let x = 0; x < 5; x += 1) for (let y = 0; y < 4; y += 1) grid.push([x, y]);
    expect(getArea(getHull(grid))).toBe(12);
    expect(getHull(grid)).toHaveLength(4);
    expect(
      getArea(
        getHull([
          [0, 0],
          [1, 1],
          [2, 2],
        ]),
      ),
    ).toBe(0);
  });
});
