/** Seeded numbers in [0, 1): the same seed gives the same picture. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A noisy climb of `length` points from `from` to `to`. */
export function makeClimb(
  seed: number,
  length: number,
  from: number,
  to: number,
  noise = 0.06,
): Float64Array {
  const random = makeRandom(seed);
  return Float64Array.from({ length }, (_, k) => {
    const progress = 1 - Math.exp((-4 * k) / length);
    return from + (to - from) * progress + (random() - 0.5) * 2 * noise;
  });
}

export function makeSteps(length: number, first = 1, stride = 1): Float64Array {
  return Float64Array.from({ length }, (_, k) => first + k * stride);
}
