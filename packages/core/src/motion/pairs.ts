import { matchDescriptors } from "../keyframes/hamming.ts";
import type { FrameFeatures } from "../keyframes/index.ts";
import type { PointPair } from "./types.ts";

/** Descriptors further apart than this many of 256 bits show different things. */
const MOST_DISTANCE = 72;

/** Places of the same things in two frames, by their features; the most alike first. */
export function getPointPairs(earlier: FrameFeatures, later: FrameFeatures): PointPair[] {
  const pointOf = ({ points }: FrameFeatures, i: number): [number, number] => [
    points[2 * i] as number,
    points[2 * i + 1] as number,
  ];
  return matchDescriptors(earlier.descriptors, later.descriptors)
    .filter(({ distance }) => distance <= MOST_DISTANCE)
    .sort((a, b) => a.distance - b.distance)
    .map(({ query, train }) => ({ from: pointOf(earlier, query), to: pointOf(later, train) }));
}
