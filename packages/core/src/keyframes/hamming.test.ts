import { expect, it } from "vitest";
import { loadOpenCv } from "../../bench/lib/load-cv.ts";
import type { Cv, CvMat, CvObject } from "./cv.ts";
import { type Match, matchDescriptors } from "./hamming.ts";
import { createRandom } from "./testing.ts";

/** The matcher that is held to; the product itself does without. */
type Matching = {
  CV_8UC1: number;
  NORM_HAMMING: number;
  BFMatcher: new (
    norm: number,
    crossCheck: boolean,
  ) => CvObject & { match(query: CvMat, train: CvMat, matches: CvObject): void };
  DMatchVector: new () => CvObject & {
    size(): number;
    get(i: number): { queryIdx: number; trainIdx: number; distance: number };
  };
};

/** Descriptors of few different bytes, so that distances are often equal. */
function makeDescriptors(count: number, seed: number, values: number): Uint8Array {
  const random = createRandom(seed);
  return Uint8Array.from({ length: count * 32 }, () => Math.floor(random() * values));
}

it("matches exactly as OpenCV's brute-force matcher with cross-check, ties included", async () => {
  const cv = (await loadOpenCv()).cv as Cv & Matching;
  const matcher = new cv.BFMatcher(cv.NORM_HAMMING, true);
  for (const [queries, trains, values] of [
    [500, 500, 256],
    [500, 480, 2],
    [1, 300, 3],
    [300, 1, 3],
    [120, 500, 1],
    [37, 41, 4],
  ] as const) {
    const query = makeDescriptors(queries, 1, values);
    const train = makeDescriptors(trains, 2, values);
    const from = new cv.Mat(queries, 32, cv.CV_8UC1);
    from.data.set(query);
    const to = new cv.Mat(trains, 32, cv.CV_8UC1);
    to.data.set(train);
    const vector = new cv.DMatchVector();
    matcher.match(from, to, vector);
    const expected: Match[] = Array.from({ length: vector.size() }, (_, i) => {
      const { queryIdx, trainIdx, distance } = vector.get(i);
      return { query: queryIdx, train: trainIdx, distance };
    });
    expect(matchDescriptors(query, train)).toEqual(expected);
    for (const object of [from, to, vector]) object.delete();
  }
  matcher.delete();
});

it("finds nothing where there is nothing, and grows for large sets", () => {
  expect(matchDescriptors(new Uint8Array(), makeDescriptors(5, 1, 9))).toEqual([]);
  expect(matchDescriptors(makeDescriptors(5, 1, 9), new Uint8Array())).toEqual([]);
  const many = makeDescriptors(5000, 3, 256);
  const matches = matchDescriptors(many, many);
  expect(matches).toHaveLength(5000);
  expect(matches.every(({ query, train, distance }) => query === train && distance === 0)).toBe(true);
});
