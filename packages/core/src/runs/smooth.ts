/**
 * Exponential moving average without the pull to its start (debiased), over finite values only.
 *
 * A value depends on those before it and on nothing else, so a longer series has the same beginning. A constant stays
 * exactly constant. Where a value is not finite the result is NaN and the average goes on behind it.
 *
 * @param weight  In [0, 1): 0 gives the values themselves, 0.9 remembers about ten.
 * @param counts  How many values each one stands for, where some are means of many; 1 each when left out.
 */
export function smooth(values: ArrayLike<number>, weight: number, counts?: ArrayLike<number>): Float64Array {
  const out = new Float64Array(values.length);
  let average = 0;
  let decay = 1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NaN;
    if (!Number.isFinite(value)) {
      out[i] = Number.NaN;
      continue;
    }
    const kept = counts === undefined ? weight : weight ** (counts[i] ?? 1);
    decay *= kept;
    average += (value - average) * ((1 - kept) / (1 - decay));
    out[i] = average;
  }
  return out;
}
