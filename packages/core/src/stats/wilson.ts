const Z95 = 1.959963984540054;

/**
 * The 95 % interval of a share.
 *
 * @param successes  0 to n.
 * @returns null when n is 0.
 * @see Wilson 1927
 */
export function getWilsonInterval(successes: number, n: number): readonly [low: number, high: number] | null {
  if (n <= 0) return null;
  const share = successes / n;
  const centre = share + (Z95 * Z95) / (2 * n);
  const spread = Z95 * Math.sqrt((share * (1 - share)) / n + (Z95 * Z95) / (4 * n * n));
  const scale = 1 + (Z95 * Z95) / n;
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)];
}
