import { beforeAll, describe, expect, it } from "vitest";
import { loadOpenCv } from "../../bench/lib/load-cv.ts";
import type { Cv } from "./cv.ts";
import { createExtractor, type Extractor } from "./extractor.ts";
import { countFeatures } from "./features.ts";
import type { GreyPlane } from "./plane.ts";
import { EMBODIED_R_SETTINGS, SIGHTLINE_SETTINGS } from "./settings.ts";
import { createRandom, paintFlat, paintNoise, paintWall, toLuma, viewWall } from "./testing.ts";
import type { PairEvidence } from "./types.ts";

let cv: Cv;
let sightline: Extractor;
let released: Extractor;
const wall = paintWall(2400, 1400);
const WIDTH = 640;
const HEIGHT = 360;

beforeAll(async () => {
  ({ cv } = await loadOpenCv());
  sightline = createExtractor(cv, SIGHTLINE_SETTINGS);
  released = createExtractor(cv, EMBODIED_R_SETTINGS);
});

const at = (left: number, top: number, scale = 1): GreyPlane => viewWall(wall, { left, top, scale });

function compare(extractor: Extractor, reference: GreyPlane, candidate: GreyPlane): PairEvidence {
  return extractor.compare(
    extractor.describe(toLuma(reference, 0)),
    extractor.describe(toLuma(candidate, 30)),
  );
}

/** A caption in the lower part: lines of white letters on black, the same in every picture. */
function burnIn(plane: GreyPlane, lines: number): GreyPlane {
  const random = createRandom(9);
  const data = plane.data.slice();
  for (let line = 0; line < lines; line += 1) {
    const top = 300 - 40 * line;
    for (let y = top; y < top + 40; y += 1) data.fill(0, y * WIDTH + 120, y * WIDTH + 520);
    for (let i = 0; i < 160; i += 1) {
      const [x, y] = [124 + Math.floor(random() * 385), top + 3 + Math.floor(random() * 27)];
      for (let row = 0; row < 7; row += 1) data.fill(255, (y + row) * WIDTH + x, (y + row) * WIDTH + x + 3);
    }
  }
  return { ...plane, data };
}

describe("a known motion", () => {
  it.each([
    [0.3, 0.7],
    [0.45, 0.55],
    [0.55, 0.45],
  ])("a pan by %f leaves %f, from both sides", (moved, overlap) => {
    for (const extractor of [sightline, released]) {
      const pair = compare(extractor, at(400, 300), at(400 + moved * WIDTH, 300));
      expect(pair.failure).toBeNull();
      expect(pair.overlap_forward).toBeCloseTo(overlap, 2);
      expect(pair.overlap_backward).toBeCloseTo(overlap, 2);
      expect(pair).toMatchObject({ reference: 0, frame: 30 });
      expect(pair.inliers).toBeGreaterThan(30);
      expect(pair.matches).toBeGreaterThanOrEqual(pair.inliers);
    }
  });

  it("a pan down leaves what the height says", () => {
    const pair = compare(sightline, at(400, 300), at(400, 300 + 0.4 * HEIGHT));
    expect(pair.overlap_forward).toBeCloseTo(0.6, 2);
  });

  it("moving forward by 1.4 and 1.5 leaves 1/z²", () => {
    for (const z of [1.4, 1.5]) {
      const [from, to] = [at(400, 300, 1.5), at(400 + 480 * (1 - 1 / z), 300 + 270 * (1 - 1 / z), 1.5 / z)];
      const pair = compare(sightline, from, to);
      expect(pair.failure).toBeNull();
      expect(pair.overlap_forward).toBeCloseTo(1 / z ** 2, 1);
      expect(pair.overlap_backward).toBeGreaterThan(0.99);
    }
  });

  it("moving backward counts the other way round", () => {
    const z = 1.5;
    const [near, far] = [at(400 + 480 * (1 - 1 / z), 300 + 270 * (1 - 1 / z), 1.5 / z), at(400, 300, 1.5)];
    const pair = compare(sightline, near, far);
    expect(pair.failure).toBeNull();
    expect(pair.overlap_forward).toBeGreaterThan(0.99);
    expect(pair.overlap_backward).toBeCloseTo(1 / z ** 2, 1);
  });

  it("is the same whichever way round the frames are compared", () => {
    const pair = compare(sightline, at(400, 300), at(600, 350));
    const back = compare(sightline, at(600, 350), at(400, 300));
    expect(back.overlap_forward).toBeCloseTo(pair.overlap_backward ?? -1, 2);
    expect(back.overlap_backward).toBeCloseTo(pair.overlap_forward ?? -1, 2);
  });

  it("gives the same evidence twice", () => {
    expect(compare(sightline, at(400, 300), at(500, 300))).toEqual(
      compare(sightline, at(400, 300), at(500, 300)),
    );
  });
});

describe("pictures that say nothing", () => {
  it("B46: names flat, black and almost black pictures", () => {
    for (const nothing of [paintFlat(0), paintFlat(180)]) {
      for (const extractor of [sightline, released]) {
        expect(compare(extractor, at(400, 300), nothing).failure).toBe("no_descriptors");
        expect(compare(extractor, nothing, at(400, 300)).failure).toBe("no_descriptors");
        expect(compare(extractor, nothing, nothing)).toMatchObject({ matches: 0, failure: "no_descriptors" });
      }
    }
  });

  it("B46: names too few matches", () => {
    const speck = paintFlat(100);
    for (let y = 150; y < 170; y += 1) speck.data.fill(250, y * WIDTH + 300, y * WIDTH + 320);
    const pair = compare(sightline, speck, at(400, 300));
    expect(pair.matches).toBeLessThanOrEqual(10);
    expect(pair.failure).toBe("few_matches");
    expect(pair.overlap_forward).toBeNull();
  });

  it("sightline finds no overlap in noise or between two places", () => {
    for (const [from, to] of [
      [paintNoise(1), paintNoise(2)],
      [at(0, 0), at(1500, 900)],
      [at(0, 0), viewWall(paintWall(800, 600, 77), { left: 20, top: 20 })],
    ] as const) {
      const pair = compare(sightline, from, to);
      expect(pair.failure).not.toBeNull();
      expect(pair.overlap_forward).toBeNull();
    }
  });

  it("takes any size", () => {
    for (const [width, height] of [
      [1, 1],
      [16, 16],
      [64, 48],
      [3, 2000],
    ] as const) {
      for (const extractor of [sightline, released]) {
        const frame = extractor.describe(toLuma(paintNoise(1, width, height), 0));
        expect(frame).toMatchObject({ width, height });
        expect(extractor.compare(frame, frame).overlap_forward ?? 0).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe.each([1, 2, 3])("a burnt-in caption of %i lines", (lines) => {
  const from = (left: number, top: number) => burnIn(at(left, top), lines);

  it("does not make two places overlap", () => {
    expect(compare(sightline, from(0, 0), from(1500, 900)).failure).not.toBeNull();
  });

  it("does not hide a pan", () => {
    const pair = compare(sightline, from(400, 300), from(400 + 0.55 * WIDTH, 300));
    expect(pair.overlap_forward ?? 0.45).toBeCloseTo(0.45, 1);
    const little = compare(sightline, from(400, 300), from(400 + 0.15 * WIDTH, 300));
    expect(little.overlap_forward).toBeCloseTo(0.85, 1);
  });

  it("does not hide that the camera stands still", () => {
    expect(compare(sightline, from(400, 300), from(400, 300)).overlap_forward).toBeGreaterThan(0.99);
  });
});

describe("planes", () => {
  it("B45: a turned plane gives the features of the upright one", () => {
    const upright = sightline.describe(toLuma(at(400, 300), 0));
    const { width, height, data } = at(400, 300);
    const turned = new Uint8Array(data.length);
    // 90° clockwise makes it upright: what is stored was turned the other way.
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) turned[(width - 1 - x) * height + y] = data[y * width + x] as number;
    }
    const described = sightline.describe({
      ...toLuma({ width: height, height: width, data: turned }, 0),
      rotation: 90,
    });
    expect(described).toEqual(upright);
  });

  it("scales to the wanted width and keeps smaller ones as they are", () => {
    const large = viewWall(wall, { left: 0, top: 0, width: 1280, height: 722 });
    expect(sightline.describe(toLuma(large, 0))).toMatchObject({ width: 640, height: 361 });
    expect(released.describe(toLuma(large, 0))).toMatchObject({ width: 1280, height: 722 });
    const small = viewWall(wall, { left: 0, top: 0, width: 320, height: 240 });
    expect(sightline.describe(toLuma(small, 0))).toMatchObject({ width: 320, height: 240 });
  });

  it("finds the wanted number of features and stays in the plane", () => {
    const frame = sightline.describe(toLuma(at(400, 300), 0));
    const count = countFeatures(frame);
    expect(count).toBeGreaterThan(400);
    expect(count).toBeLessThanOrEqual(500);
    expect(frame.descriptors).toHaveLength(count * 32);
    for (let i = 0; i < count; i += 1) {
      expect(frame.points[2 * i]).toBeLessThan(640);
      expect(frame.points[2 * i + 1]).toBeLessThan(360);
    }
  });

  it("keeps no memory of OpenCV's over many pictures", () => {
    const heap = cv as unknown as { HEAPU8: Uint8Array };
    const before = heap.HEAPU8.length;
    const large = viewWall(wall, { left: 0, top: 0, width: 1920, height: 1080 });
    for (let i = 0; i < 20; i += 1) {
      const frame = sightline.describe(toLuma(large, i));
      sightline.compare(frame, frame);
    }
    expect(heap.HEAPU8.length).toBe(before);
  });
});
