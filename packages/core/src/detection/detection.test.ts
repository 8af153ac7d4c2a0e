import { describe, expect, it } from "vitest";
import {
  type Detection,
  type DetectorOutputs,
  detect,
  fitPicture,
  getOverlap,
  INPUT_SIDE,
  LABELS,
  type Picture,
  readDetections,
  readYuv,
  resample,
} from "./index.ts";

const GRID = 128;

/** Outputs with one hot place an entry; boxes reach the same way on all sides. */
function heatUp(
  places: readonly { label: string; score: number; column: number; row: number; reach: number }[],
): DetectorOutputs {
  const heat = new Float32Array(LABELS.length * GRID * GRID);
  const reach = new Float32Array(4 * GRID * GRID);
  for (const { label, score, column, row, reach: far } of places) {
    const place = row * GRID + column;
    heat[LABELS.indexOf(label as (typeof LABELS)[number]) * GRID * GRID + place] = score;
    for (let side = 0; side < 4; side += 1) reach[side * GRID * GRID + place] = far;
  }
  return { heat, reach };
}

const paint = (width: number, height: number, channels: 3 | 4, colour: readonly number[]): Picture => ({
  width,
  height,
  channels,
  data: Uint8Array.from({ length: width * height * channels }, (_, at) => colour[at % channels] ?? 255),
});

const isSame = (a: Float32Array, b: Float32Array) =>
  a.length === b.length && a.every((value, at) => value === b[at]);

const round = (found: Detection | undefined) => found?.box.map(Math.round);

describe("fitPicture", () => {
  it.each([
    [640, 320],
    [320, 640],
    [512, 512],
    [100, 75],
  ])("keeps the proportions of %i × %i, in the middle, black around", (width, height) => {
    const input = fitPicture(paint(width, height, 3, [200, 100, 50]));
    const lit = (x: number, y: number) =>
      [0, 1, 2].map((c) => Math.round(input[(y * INPUT_SIDE + x) * 3 + c] ?? -1));
    const wide = Math.round((INPUT_SIDE * width) / Math.max(width, height));
    const high = Math.round((INPUT_SIDE * height) / Math.max(width, height));
    expect(lit(256, 256)).toEqual([200, 100, 50]);
    const count = input.filter((_, at) => at % 3 === 0 && (input[at] ?? 0) > 0).length;
    expect(count).toBe(wide * high);
    if (wide < INPUT_SIDE) expect(lit(0, 256)).toEqual([0, 0, 0]);
    if (high < INPUT_SIDE) expect(lit(256, INPUT_SIDE - 1)).toEqual([0, 0, 0]);
  });

  it("sees the same in RGB and RGBA", () => {
    const plain = fitPicture(paint(64, 48, 3, [9, 8, 7]));
    expect(isSame(fitPicture(paint(64, 48, 4, [9, 8, 7, 255])), plain)).toBe(true);
  });

  it("takes a picture of a single pixel", () => {
    expect(fitPicture(paint(1, 1, 3, [1, 2, 3])).length).toBe(INPUT_SIDE * INPUT_SIDE * 3);
  });
});

describe("resample", () => {
  it("averages what it makes smaller: no pixel is skipped", () => {
    const picture = paint(64, 64, 3, [0, 0, 0]);
    for (let at = 0; at < picture.data.length; at += 6) picture.data.fill(255, at, at + 3);
    const small = resample(picture, 8, 8);
    for (const value of small) expect(Math.abs(value - 127.5)).toBeLessThan(8);
  });

  it("keeps a picture of the wanted size as it is", () => {
    const picture = paint(16, 9, 3, [3, 250, 77]);
    expect([...resample(picture, 16, 9)]).toEqual([...picture.data]);
  });
});

describe("readDetections", () => {
  it("gives boxes in pixels of the picture, whatever its shape", () => {
    const outputs = heatUp([{ label: "chair", score: 0.7, column: 64, row: 64, reach: 64 }]);
    expect(readDetections(outputs, { width: 512, height: 512 })[0]).toMatchObject({
      label: "chair",
      box: [192, 192, 320, 320],
    });
    expect(round(readDetections(outputs, { width: 1024, height: 512 })[0])).toEqual([384, 128, 640, 384]);
    expect(round(readDetections(outputs, { width: 288, height: 384 })[0])).toEqual([96, 144, 192, 240]);
  });

  it("takes a place for a centre only where it is hotter than its neighbours, and sure enough", () => {
    const near = heatUp([
      { label: "cup", score: 0.6, column: 10, row: 10, reach: 8 },
      { label: "cup", score: 0.5, column: 11, row: 10, reach: 8 },
      { label: "cup", score: 0.39, column: 90, row: 90, reach: 8 },
    ]);
    expect(readDetections(near, { width: 512, height: 512 }).map(({ score }) => score.toFixed(2))).toEqual([
      "0.60",
    ]);
    expect(readDetections(near, { width: 512, height: 512 }, 0.3)).toHaveLength(2);
  });

  it("does not take the neighbours of an edge from the other side", () => {
    const outputs = heatUp([
      { label: "cup", score: 0.5, column: 0, row: 50, reach: 20 },
      { label: "cup", score: 0.6, column: 127, row: 49, reach: 20 },
    ]);
    expect(readDetections(outputs, { width: 512, height: 512 })).toHaveLength(2);
  });

  it("finds an object once, but two of a kind side by side and two kinds in one place", () => {
    const outputs = heatUp([
      { label: "car", score: 0.9, column: 40, row: 40, reach: 60 },
      { label: "car", score: 0.8, column: 43, row: 40, reach: 60 },
      { label: "car", score: 0.7, column: 90, row: 40, reach: 60 },
      { label: "truck", score: 0.6, column: 40, row: 40, reach: 60 },
    ]);
    expect(readDetections(outputs, { width: 512, height: 512 }).map(({ label }) => label)).toEqual([
      "car",
      "car",
      "truck",
    ]);
  });

  it("keeps boxes inside the picture, and leaves out what lies in the black", () => {
    const outputs = heatUp([
      { label: "bus", score: 0.9, column: 0, row: 64, reach: 100 },
      { label: "bus", score: 0.9, column: 64, row: 4, reach: 10 },
    ]);
    const found = readDetections(outputs, { width: 512, height: 256 });
    expect(found.map(round)).toEqual([[0, 28, 100, 228]]);
  });
});

it("detect hands the network what fitPicture makes and reads its answer", async () => {
  const picture = paint(64, 32, 3, [1, 2, 3]);
  const found = await detect(picture, async (input) => {
    expect(isSame(input, fitPicture(picture))).toBe(true);
    return heatUp([{ label: "dog", score: 0.5, column: 64, row: 64, reach: 32 }]);
  });
  expect(found).toMatchObject([{ label: "dog", score: 0.5, box: [28, 12, 36, 20] }]);
});

it("getOverlap is 1 for one box twice and 0 for boxes that only touch", () => {
  expect(getOverlap([0, 0, 4, 4], [0, 0, 4, 4])).toBe(1);
  expect(getOverlap([0, 0, 4, 4], [4, 0, 8, 4])).toBe(0);
  expect(getOverlap([0, 0, 4, 4], [2, 0, 6, 4])).toBeCloseTo(1 / 3, 9);
});

describe("readYuv", () => {
  const plain = (y: number, u: number, v: number, change = {}) =>
    readYuv({
      width: 3,
      height: 2,
      y: new Uint8Array(6).fill(y),
      u: new Uint8Array(2).fill(u),
      v: new Uint8Array(2).fill(v),
      full_range: false,
      matrix: "bt709",
      rotation: 0,
      ...change,
    });
  const first = ({ data }: Picture) => [...data.slice(0, 3)];

  it("knows black, white and the ranges", () => {
    expect(first(plain(16, 128, 128))).toEqual([0, 0, 0]);
    expect(first(plain(235, 128, 128))).toEqual([255, 255, 255]);
    expect(first(plain(235, 128, 128, { full_range: true }))).toEqual([235, 235, 235]);
    expect(first(plain(0, 128, 128))).toEqual([0, 0, 0]);
  });

  // Pure red by the matrices of BT.709 and BT.601, in 16 to 235.
  it("knows both matrices", () => {
    for (const [red, value] of Object.entries(first(plain(63, 102, 240))))
      expect(value).toBeCloseTo(red === "0" ? 255 : 0, -1);
    for (const [red, value] of Object.entries(first(plain(81, 90, 240, { matrix: "bt601" }))))
      expect(value).toBeCloseTo(red === "0" ? 255 : 0, -1);
  });

  it("turns upright, colours with it", () => {
    const picture = readYuv({
      width: 4,
      height: 2,
      y: Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80]),
      u: Uint8Array.from([128, 128]),
      v: Uint8Array.from([128, 255]),
      full_range: true,
      matrix: "bt601",
      rotation: 90,
    });
    expect([picture.width, picture.height]).toEqual([2, 4]);
    const red = (x: number, y: number) => picture.data[(y * 2 + x) * 3] ?? 0;
    expect([red(0, 0), red(1, 0)]).toEqual([50, 10]);
    expect(red(0, 3)).toBeGreaterThan(200);
  });
});
