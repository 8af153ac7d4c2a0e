import { beforeAll, describe, expect, it } from "vitest";
import { loadOpenCv } from "../../bench/lib/load-cv.ts";
import type { Cv, CvMat, CvObject } from "./cv.ts";
import { findFeatures } from "./orb.ts";
import type { GreyPlane } from "./plane.ts";
import { createRandom, paintFlat, paintNoise, paintWall, viewWall } from "./testing.ts";

/** What of OpenCV stands beside our own. */
type Finding = {
  CV_8UC1: number;
  INTER_AREA: number;
  Size: new (width: number, height: number) => object;
  KeyPointVector: new () => CvObject & { size(): number; get(i: number): { pt: { x: number; y: number } } };
  ORB: new (
    features: number,
  ) => CvObject & {
    detectAndCompute(image: CvMat, mask: CvMat, keyPoints: CvObject, descriptors: CvMat): void;
  };
  resize(from: CvMat, to: CvMat, size: object, fx: number, fy: number, way: number): void;
};

let cv: Cv & Finding;
beforeAll(async () => {
  cv = (await loadOpenCv()).cv as Cv & Finding;
});

function findWithOpenCv(grey: GreyPlane, features: number, width: number) {
  const mats = [
    new cv.Mat(grey.height, grey.width, cv.CV_8UC1),
    new cv.Mat(),
    new cv.Mat(),
    new cv.Mat(),
  ] as const;
  const [picture, scaled, none, descriptors] = mats;
  picture.data.set(grey.data);
  let image = picture;
  if (width > 0 && width < grey.width) {
    const height = Math.round((grey.height * width) / grey.width);
    cv.resize(picture, scaled, new cv.Size(width, height), 0, 0, cv.INTER_AREA);
    image = scaled;
  }
  const keyPoints = new cv.KeyPointVector();
  const orb = new cv.ORB(features);
  orb.detectAndCompute(image, none, keyPoints, descriptors);
  const points: number[] = [];
  for (let i = 0; i < keyPoints.size(); i += 1) {
    const { pt } = keyPoints.get(i);
    points.push(pt.x, pt.y);
  }
  const found = {
    points: Float32Array.from(points),
    descriptors: descriptors.empty() ? new Uint8Array() : descriptors.data.slice(),
  };
  for (const object of [...mats, keyPoints, orb]) object.delete();
  return found;
}

const wall = paintWall(2400, 1600, 3);
const view = (width: number, height: number, scale = 1) =>
  viewWall(wall, { left: 40.3, top: 60.7, width, height, scale });

/** Half of it noise of ± 1 over one grey: corners that are all equally weak, and equal ones to choose from. */
function paintTiles(): GreyPlane {
  const random = createRandom(4);
  const data = new Uint8Array(640 * 360);
  for (let y = 0; y < 360; y += 1) {
    for (let x = 0; x < 640; x += 1) {
      const tile = (x >> 3) % 2 === (y >> 3) % 2 ? 200 : 60;
      data[y * 640 + x] = x < 320 ? tile : 128 + Math.floor(random() * 3);
    }
  }
  return { width: 640, height: 360, data };
}

describe("finds to the bit what OpenCV finds, in its order", () => {
  it.each<[string, GreyPlane, number, number]>([
    ["a wall of corners", view(640, 360), 500, 0],
    ["a blurred one", view(640, 360, 0.2), 500, 0],
    ["few features", view(640, 360), 20, 0],
    ["more than there are", view(320, 200, 0.3), 5000, 0],
    ["a large picture", view(1921, 1081), 500, 0],
    ["an upright one", view(251, 633), 500, 0],
    ["a small one", view(70, 66), 500, 0],
    ["the smallest", view(64, 32), 500, 0],
    ["noise", paintNoise(5), 500, 0],
    ["one grey", paintFlat(90), 500, 0],
    ["equal corners", paintTiles(), 500, 0],
    ["half as wide", view(1280, 720), 500, 640],
    ["a third as wide", view(1920, 1080), 500, 640],
    ["scaled by an odd share", view(1392, 624), 500, 640],
    ["scaled a little", view(653, 367), 500, 640],
    ["scaled unevenly", view(1279, 719), 500, 640],
    ["scaled much", view(2000, 1300), 300, 101],
  ])("%s", (_, grey, features, width) => {
    const { points, descriptors } = findFeatures(grey, { features, width });
    const expected = findWithOpenCv(grey, features, width);
    expect(points).toEqual(expected.points);
    expect(descriptors).toEqual(expected.descriptors);
  });
});

it("finds none in a picture without room, and tells its size", () => {
  for (const [width, height] of [
    [1, 1],
    [31, 400],
    [400, 31],
  ] as const) {
    const found = findFeatures(view(width, height), { features: 500, width: 640 });
    expect(found).toMatchObject({ width, height });
    expect(found.points).toHaveLength(0);
  }
  expect(findFeatures(view(1280, 716), { features: 9, width: 640 })).toMatchObject({
    width: 640,
    height: 358,
  });
});

it("tells noise from pictures", () => {
  const measure = (plane: GreyPlane) => findFeatures(plane, { features: 10, width: 0 }).noise;
  expect(measure(paintNoise(1))).toBeCloseTo(1, 1);
  expect(measure(view(640, 360))).toBeLessThan(0.3);
  expect(measure(paintFlat(0))).toBe(0);
  expect(measure({ width: 1, height: 4, data: Uint8Array.of(0, 255, 0, 255) })).toBe(0);
});
