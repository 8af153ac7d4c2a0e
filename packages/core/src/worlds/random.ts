/** A seeded source of random numbers: the same seed gives the same sequence on every machine. */
export type Random = {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [from, to], both included. */
  int(from: number, to: number): number;
  /** One of the items, uniformly. @throws RangeError when there are none. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
};

/** FNV-1a over UTF-16 code units, as an unsigned 32-bit integer. */
export function hash32(text: string, basis = 0x811c9dc5): number {
  let hash = basis;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Makes a source from any text; sfc32 seeded by four FNV-1a hashes of the text. */
export function createRandom(seed: string): Random {
  let a = hash32(seed, 0x811c9dc5);
  let b = hash32(seed, 0x01234567);
  let c = hash32(seed, 0x89abcdef);
  let d = 1;
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let round = 0; round < 16; round += 1) next();
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    pick(items) {
      const item = items[int(0, items.length - 1)];
      if (items.length === 0 || item === undefined) throw new RangeError("pick from an empty list");
      return item;
    },
    shuffle<T>(items: readonly T[]): T[] {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = int(0, last);
        const held = copy[last] as T;
        copy[last] = copy[other] as T;
        copy[other] = held;
      }
      return copy;
    },
  };
}
