import { expect, it } from "vitest";
import { getClusteredInterval } from "./clustered.ts";
import { getWilsonInterval } from "./wilson.ts";

const values = (...clusters: number[][]) =>
  clusters.flatMap((cluster, at) => cluster.map((value) => ({ value, cluster: `clip ${at}` })));

const round = (interval: readonly [number, number] | null) => interval?.map((bound) => bound.toFixed(6));

it("is Wilson's interval where every value is a cluster of its own", () => {
  expect(getClusteredInterval(values([1], [1], [0], [1]))).toEqual(getWilsonInterval(3, 4));
});

it("counts clips instead of questions where a clip's answers are all right or all wrong", () => {
  const together = values([1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]);
  // Between clusters 2·(4/3)² + (8/3)² = 32/3, in all 8/3: four answers tell as much as one.
  expect(round(getClusteredInterval(together))).toEqual(round(getWilsonInterval(2, 3)));
});

it("is never narrower than for answers that have nothing to do with each other", () => {
  expect(getClusteredInterval(values([1, 0], [0, 1]))).toEqual(getWilsonInterval(2, 4));
});

it("stays within 0 and 1 and has a width where everything is right", () => {
  expect(getClusteredInterval(values([1, 1, 1], [1, 1]))).toEqual(getWilsonInterval(2, 2));
  expect(getClusteredInterval([])).toBeNull();
});

it("takes the answers on one clip for one answer", () => {
  expect(round(getClusteredInterval(values([1, 0, 1, 1])))).toEqual(round(getWilsonInterval(0.75, 1)));
});
