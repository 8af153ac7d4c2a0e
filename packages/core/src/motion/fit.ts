/** What two pictures say of the camera between them, before anybody names it. */
import type { Size } from "../keyframes/index.ts";
import { createDraw, fitRotation, getRotationCost, listRotationInliers } from "./fit-rotation.ts";
import { fitTravel, getTravelCost, listTravelInliers, type TravelFit } from "./fit-travel.ts";
import { cross, dot, getAngle, IDENTITY, type RayPairs, type Rotation, toRays, type Vector } from "./rays.ts";
import type { PointPair } from "./types.ts";

export type PairFit = {
  /** Pairs that were four finite numbers. */
  matches: number;
  /** Pairs that agree with what follows. */
  inliers: number;
  /** Why nothing is said of the camera; null when something is. */
  failure: "few_matches" | "few_inliers" | "one_spot" | "mirrored" | null;
  /** Directions of the later camera in the axes of the earlier one. */
  rotation: Rotation;
  /** Where the later camera stands, as direction in the earlier one's axes; null where it has not moved. */
  travel: Vector | null;
  /** Length of the travel ÷ median distance of what is seen; 0 where it has not moved. */
  shift: number;
  /** Product of the standard deviations of the inliers' places along both axes, as shares of the picture's width. */
  spread: number;
  /** True where it looks like a turn, but a move alone would serve as well: a small turn, little depth, a narrow view. */
  isDoubtful: boolean;
};

/** A match may be off by this share of the picture's width, or by so many pixels if that is more. */
const WITHIN_SHARE = 0.006;
const WITHIN_PX = 2;
/** Least standard deviation of a feature's place. */
const SIGMA_LEAST_PX = 0.3;
const LEAST_INLIERS = 5;
/** Least share of the matches that must agree: chance is not all, wrong matches of a regular texture agree with each other. */
const SHARES = { still: 0.5, turn: 0.15, travel: 0.3 };
/** Least standard deviation of the inliers' places along the axis where it is more, and less; shares of the picture's width. */
const LEAST_ALONG = 0.04;
const LEAST_ACROSS = 0.004;
/** A move that looks like a turn by more (radians) would span more than a fifth of the distance, and show depth. */
const MOST_DOUBTFUL = 0.2;
/** A move that explains less than this share of what a turn does is no rival. */
const MOVE_SHARE = 0.9;
/** A match that moved less than this stands still, in pixels. */
const STILL_PX = 1;
/** What moves while more stands still must be more than this share of that to count. */
const REST_SHARE = 0.3;
/** Agreeing matches that no camera could see, per agreeing one that it could. */
const MOST_IMPOSSIBLE = 0.4;
/** What a free parameter costs; in squared standard deviations. */
const PARAMETER_COST = 6;
/** What a match's unknown depth costs; so that a match that does not agree costs a travel as much as it costs a turn. */
const DEPTH_COST = 2;
/** So often may wrong matches, strewn over the picture, agree as well by chance; natural logarithm. */
const MOST_CHANCE = -12;

/**
 * Which of four explanations the matches support: the camera stood still, it turned, it moved, it did both. Each is charged
 * for what it leaves unexplained, for its free parameters (0, 3, 2, 5) and, where the camera moves, for every match's depth:
 * Torr's geometric information criterion. A turn that looks like a sideways move, or the other way round, is told by the
 * perspective terms: a turn by θ shifts the middle by f θ, but the edge, at x focal lengths, by f θ (1 + x²); a move over a
 * frontal plane shifts both alike, and over anything else leaves parallax.
 */
export function fitPair(pairs: readonly PointPair[], size: Size, field_of_view_deg: number): PairFit {
  const fit = explain(pairs, size, field_of_view_deg);
  const isStill = fit.inliers > 0 && fit.travel === null && fit.rotation === IDENTITY;
  if (!isStill || (fit.failure !== null && fit.failure !== "one_spot")) return fit;
  // What stands still may be burnt into the picture; the rest decides where it covers more of it.
  const rest = pairs.filter(({ from, to }) => Math.hypot(from[0] - to[0], from[1] - to[1]) >= STILL_PX);
  const moved = explain(rest, size, field_of_view_deg);
  const isWider = moved.spread > fit.spread && moved.inliers > REST_SHARE * fit.inliers;
  return moved.failure === null && isWider ? { ...moved, matches: fit.matches } : fit;
}

function explain(pairs: readonly PointPair[], size: Size, field_of_view_deg: number): PairFit {
  const rays = toRays(pairs, size, field_of_view_deg);
  const fit: PairFit = {
    matches: rays.count,
    inliers: 0,
    failure: null,
    rotation: IDENTITY,
    travel: null,
    shift: 0,
    spread: 0,
    isDoubtful: false,
  };
  if (rays.count < LEAST_INLIERS) return { ...fit, failure: "few_matches" };
  const within = Math.max(WITHIN_PX, WITHIN_SHARE * size.width) * rays.pixel;
  const turned = fitRotation(rays, within);
  const moved = fitTravel(rays, [IDENTITY], within, false);
  const both = fitTravel(rays, [turned, IDENTITY], within);
  const sigma = Math.max(SIGMA_LEAST_PX * rays.pixel, Math.min(within / 2.5, both?.sigma ?? within));

  // Orthogonal distances in four dimensions: a turn leaves two of them, a travel one, and at most two deviations of each count.
  const costOfTurn = (rotation: Rotation) =>
    getRotationCost(rays, rotation, Math.sqrt(8) * sigma) / (2 * sigma * sigma);
  const costOfTravel = (travelled: TravelFit) =>
    getTravelCost(rays, travelled, Math.SQRT2 * sigma) / (sigma * sigma) + DEPTH_COST * rays.count;
  const { width, height } = size;
  const reach = within / rays.pixel;
  // A wrong match agrees when it ends by chance in a small circle, or, for a travel, near a line.
  const spot = Math.log((Math.PI * reach * reach) / (width * height));
  const strip = Math.log((2 * reach) / height);
  const explanations: Explanation[] = [
    {
      cost: costOfTurn(IDENTITY),
      rotation: IDENTITY,
      travelled: null,
      fixed: 0,
      luck: spot,
      share: SHARES.still,
    },
    {
      cost: costOfTurn(turned) + 3 * PARAMETER_COST,
      rotation: turned,
      travelled: null,
      fixed: 2,
      luck: spot,
      share: SHARES.turn,
    },
  ];
  for (const [travelled, parameters] of [
    [moved, 2],
    [both, 5],
  ] as const) {
    if (travelled === null) continue;
    const cost = costOfTravel(travelled) + parameters * PARAMETER_COST;
    explanations.push({
      cost,
      rotation: travelled.rotation,
      travelled,
      fixed: parameters,
      luck: strip,
      share: SHARES.travel,
    });
  }
  // Where the planes of sight need no turn beside the move, the move may be all there was.
  const needsTurn =
    both === null ||
    moved === null ||
    costOfTravel(moved) > costOfTravel(both) + 3 * PARAMETER_COST ||
    moved.inliers < MOVE_SHARE * count(listRotationInliers(rays, turned, within));
  explanations.sort((a, b) => a.cost - b.cost);
  let oneSpot: PairFit | null = null;
  for (const { rotation, travelled, fixed, luck, share } of explanations) {
    const inliers = travelled?.inliers ?? count(listRotationInliers(rays, rotation, within));
    fit.inliers = Math.max(fit.inliers, inliers);
    if (
      inliers < LEAST_INLIERS ||
      inliers < share * rays.count ||
      getChance(rays.count, inliers, fixed, luck) > MOST_CHANCE
    )
      continue;
    const agreeing =
      travelled === null
        ? listRotationInliers(rays, rotation, within)
        : listTravelInliers(rays, travelled, within);
    const [along, across] = getSpread(rays, agreeing).map((deviation) => deviation / rays.pixel / width) as [
      number,
      number,
    ];
    const found = {
      ...fit,
      isDoubtful: travelled === null && rotation === turned && !needsTurn && getAngle(turned) < MOST_DOUBTFUL,
      spread: along * across,
      inliers,
      rotation,
      travel: travelled?.travel ?? null,
      shift: travelled?.shift ?? 0,
    };
    const impossible = travelled?.impossible ?? 0;
    if (impossible > MOST_IMPOSSIBLE * inliers || isMirrored(rays, agreeing))
      return { ...found, failure: "mirrored" };
    if (along >= LEAST_ALONG && across >= LEAST_ACROSS) return found;
    oneSpot ??= { ...found, failure: "one_spot" };
  }
  return oneSpot ?? { ...fit, failure: "few_inliers" };
}

type Explanation = {
  /** In squared standard deviations. */
  cost: number;
  rotation: Rotation;
  travelled: TravelFit | null;
  /** How many matches fix it. */
  fixed: number;
  /** Logarithm of the chance that a wrong match agrees with it. */
  luck: number;
  /** Least share of the matches that must agree. */
  share: number;
};

/**
 * How many explanations as good as this one are to be expected among all that could be made from matches strewn at random
 * (Moisan and Stival's number of false alarms, without its first factor); natural logarithm.
 */
function getChance(matches: number, inliers: number, fixed: number, luck: number): number {
  return (
    logChoose(matches, fixed) +
    logChoose(matches - fixed, inliers - fixed) +
    Math.max(0, inliers - fixed) * luck
  );
}

function logChoose(n: number, k: number): number {
  let log = 0;
  for (let i = 1; i <= Math.min(k, n - k); i += 1) log += Math.log((n - i + 1) / i);
  return log;
}

const count = (inliers: Uint8Array) => inliers.reduce((sum, inlier) => sum + inlier, 0);

/** Standard deviations of the inliers' directions along both axes of the picture, in focal lengths; the greater one first. */
function getSpread({ from }: RayPairs, inliers: Uint8Array): number[] {
  const deviation = (axis: 0 | 1): number => {
    let [sum, squares, n] = [0, 0, 0];
    for (const [i, inlier] of inliers.entries()) {
      if (inlier === 0) continue;
      const value = (from[3 * i + axis] as number) / (from[3 * i + 2] as number);
      sum += value;
      squares += value * value;
      n += 1;
    }
    return n === 0 ? 0 : Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2));
  };
  return [deviation(0), deviation(1)].sort((a, b) => b - a);
}

const TRIPLES = 100;

/** Whether most triangles of inliers are turned over: a plane seen from behind is geometry, but no picture. */
function isMirrored({ from, to }: RayPairs, agreeing: Uint8Array): boolean {
  const inliers = [...agreeing.keys()].filter((i) => agreeing[i] === 1);
  const draw = createDraw(inliers.length);
  const side = (rays: Float64Array, triple: readonly number[]): number => {
    const [a, b, c] = triple.map((i) => rays.subarray(3 * i, 3 * i + 3)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    return Math.sign(dot(toVector(a), cross(toVector(b), toVector(c))));
  };
  let over = 0;
  for (let i = 0; i < TRIPLES; i += 1) {
    const triple = [0, 0, 0].map(() => inliers[draw(inliers.length)] as number);
    over -= side(from, triple) * side(to, triple);
  }
  return over > 0;
}

const toVector = (ray: Float64Array): Vector => [ray[0] as number, ray[1] as number, ray[2] as number];
