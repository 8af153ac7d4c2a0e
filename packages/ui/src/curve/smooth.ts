/**
 * Exponential moving average without the pull to its first value.
 *
 * Each average is divided by the weight that it has seen so far, so a constant stays that constant and the second of
 * `[1, 0]` at 0.9 is 0.474. NaN and infinite values, and those that `skip` names, are passed over and give NaN.
 *
 * @param values  In the order of their steps.
 * @param decay  Weight of the past, in [0, 1); 0 changes nothing.
 * @returns As many values as went in.
 * @see Kingma and Ba, Adam, section 3 (bias correction)
 */
export function smooth(
  values: Float64Array,
  decay: number,
  skip: (index: number) => boolean = () => false,
): Float64Array {
  const out = new Float64Array(values.length);
  let sum = 0;
  let weight = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    if (!Number.isFinite(value) || skip(index)) {
      out[index] = Number.NaN;
      continue;
    }
    sum = decay * sum + (1 - decay) * value;
    weight = decay * weight + (1 - decay);
    out[index] = weight > 0 ? sum / weight : value;
  }
  return out;
}
