import type { Detection } from "../detection/types.ts";

/** What is known of the way from one picture to the next; a place is a share of width and height, from the top left. */
export type Prediction = {
  /** Where a place of the earlier picture lies in the later one; outside [0, 1] it has left the view. */
  toLater(x: number, y: number): [x: number, y: number];
  toEarlier(x: number, y: number): [x: number, y: number];
};

/** A detection with its box in shares of the picture. */
export type SeenObject = Pick<Detection, "label" | "score" | "box">;

/** What became of the objects of one picture in the next. */
export type ObjectChanges = {
  /** In both, as the later picture shows them. */
  kept: { before: SeenObject; now: SeenObject }[];
  /** Only in the later one; `was_outside` says that its place was out of view before, null that nobody knows. */
  found: { now: SeenObject; was_outside: boolean | null }[];
  /** Only in the earlier one; `is_outside` says that its place is out of view now, null that nobody knows. */
  lost: { before: SeenObject; is_outside: boolean | null }[];
};

/** Further than this from where it should be, in shares of the picture's width, it is another one of its kind. */
const REACH = 0.22;
/** The same where nothing foretells its place. */
const BLIND_REACH = 0.35;
/** Nor does one object become so many times larger or smaller, in width or height. */
const MOST_GROWTH = 2.6;

/**
 * Pairs the objects of two pictures by kind, place and size.
 *
 * @param prediction  Null when the pictures can't be laid over one another: places then count for less.
 */
export function followObjects(
  before: readonly SeenObject[],
  now: readonly SeenObject[],
  prediction: Prediction | null,
): ObjectChanges {
  const candidates = before
    .flatMap((one) =>
      now
        .filter((other) => other.label === one.label && getGrowth(one, other) <= MOST_GROWTH)
        .map((other) => ({ before: one, now: other, distance: getDistance(one, other, prediction) })),
    )
    .filter(({ distance }) => distance <= (prediction === null ? BLIND_REACH : REACH))
    .sort((a, b) => a.distance - b.distance);
  const kept: ObjectChanges["kept"] = [];
  const taken = new Set<SeenObject>();
  for (const pair of candidates) {
    if (taken.has(pair.before) || taken.has(pair.now)) continue;
    taken.add(pair.before).add(pair.now);
    kept.push({ before: pair.before, now: pair.now });
  }
  return {
    kept: kept.sort((a, b) => now.indexOf(a.now) - now.indexOf(b.now)),
    found: now
      .filter((one) => !taken.has(one))
      .map((one) => ({
        now: one,
        was_outside: prediction && isOutside(prediction.toEarlier(...getCentre(one))),
      })),
    lost: before
      .filter((one) => !taken.has(one))
      .map((one) => ({
        before: one,
        is_outside: prediction && isOutside(prediction.toLater(...getCentre(one))),
      })),
  };
}

export function getCentre({ box }: SeenObject): [x: number, y: number] {
  return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
}

const isOutside = ([x, y]: [number, number]) => x < 0 || x > 1 || y < 0 || y > 1;

function getDistance(before: SeenObject, now: SeenObject, prediction: Prediction | null): number {
  const [x, y] = getCentre(before);
  const [foreseenX, foreseenY] = prediction?.toLater(x, y) ?? [x, y];
  const [nowX, nowY] = getCentre(now);
  return Math.hypot(nowX - foreseenX, nowY - foreseenY);
}

function getGrowth({ box: a }: SeenObject, { box: b }: SeenObject): number {
  const ratios = [(b[2] - b[0]) / (a[2] - a[0]), (b[3] - b[1]) / (a[3] - a[1])];
  return Math.max(...ratios.map((ratio) => Math.max(ratio, 1 / ratio)));
}
