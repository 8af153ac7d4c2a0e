import {
  DESCRIPTOR_BYTES,
  type FrameFeatures,
  invert,
  type PairEvidence,
  projectPoint,
  projectView,
} from "@sightline/core/keyframes";
import type { Match } from "@sightline/ui/match-overlay";

const WORDS = DESCRIPTOR_BYTES / 4;

/** Bits that are set in a 32-bit word. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function findNearest(from: Uint32Array, to: Uint32Array): Int32Array {
  const count = from.length / WORDS;
  const others = to.length / WORDS;
  const nearest = new Int32Array(count).fill(-1);
  for (let i = 0; i < count; i += 1) {
    let least = Number.POSITIVE_INFINITY;
    for (let j = 0; j < others; j += 1) {
      let distance = 0;
      for (let w = 0; w < WORDS && distance < least; w += 1) {
        distance += countBits((from[i * WORDS + w] ?? 0) ^ (to[j * WORDS + w] ?? 0));
      }
      if (distance >= least) continue;
      least = distance;
      nearest[i] = j;
    }
  }
  return nearest;
}

/**
 * Pairs of features that are each other's nearest, as the extractor matches them.
 *
 * @returns Indices of features: [in a, in b].
 */
export function matchFeatures(a: FrameFeatures, b: FrameFeatures): [number, number][] {
  const words = ({ descriptors }: FrameFeatures) => new Uint32Array(descriptors.slice().buffer);
  const there = findNearest(words(a), words(b));
  const back = findNearest(words(b), words(a));
  const pairs: [number, number][] = [];
  for (const [i, j] of there.entries()) if (j >= 0 && back[j] === i) pairs.push([i, j]);
  return pairs;
}

export type MatchPicture = { matches: Match[]; quad: [number, number][] | null };

/**
 * What a pair's evidence looks like on the candidate's picture.
 *
 * @param scale  Display pixels per pixel of the plane that features lie in.
 */
export function drawMatches(
  reference: FrameFeatures,
  candidate: FrameFeatures,
  evidence: PairEvidence,
  ransac_px: number,
  scale: number,
): MatchPicture {
  const h = evidence.homography;
  const pointOf = ({ points }: FrameFeatures, index: number): [number, number] => [
    points[2 * index] ?? 0,
    points[2 * index + 1] ?? 0,
  ];
  const matches = matchFeatures(reference, candidate).map(([i, j]): Match => {
    const was = pointOf(reference, i);
    const at = pointOf(candidate, j);
    const [x, y] = h === null ? [Number.NaN, Number.NaN] : projectPoint(h, ...at);
    return {
      at: [at[0] * scale, at[1] * scale],
      was: [was[0] * scale, was[1] * scale],
      is_inlier: Math.hypot(x - was[0], y - was[1]) <= ransac_px,
    };
  });
  const back = h === null || evidence.failure !== null ? null : invert(h);
  const quad = back === null ? null : projectView(back, reference);
  return { matches, quad: quad?.map(([x, y]) => [x * scale, y * scale]) ?? null };
}
