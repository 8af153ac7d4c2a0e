import { getWilsonInterval } from "./wilson.ts";

/**
 * The 95 % interval of a mean of values in [0, 1] that come in clusters, for instance of questions on one clip.
 *
 * Answers on one clip go wrong together, so n of them tell less than n. The interval is Wilson's for the effective
 * number n ÷ design effect, the design effect being the variance with clusters over that without, and 1 at least. Where
 * all values are alike, or in one cluster, nothing can be said of that variance, and the clusters are counted instead.
 *
 * @param values  Each with the name of its cluster.
 * @returns null for no values.
 * @see Miller 2024, "Adding error bars to evals", eq. 4; Dean & Pagano 2015 on Wilson with an effective sample size.
 */
export function getClusteredInterval(
  values: readonly { value: number; cluster: string }[],
): readonly [low: number, high: number] | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / n;
  const clusters = new Map<string, number>();
  let spread = 0;
  for (const { value, cluster } of values) {
    spread += (value - mean) ** 2;
    clusters.set(cluster, (clusters.get(cluster) ?? 0) + value - mean);
  }
  const between = [...clusters.values()].reduce((sum, one) => sum + one ** 2, 0);
  const effective = spread === 0 || clusters.size === 1 ? clusters.size : n / Math.max(1, between / spread);
  return getWilsonInterval(mean * effective, effective);
}
