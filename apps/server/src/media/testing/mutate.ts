/** A generator of numbers in [0, 1) that gives the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Spoils a file's bytes as disks, networks and jokers do: flips, scribbles, holes, repeats and cuts. */
export function mutate(bytes: Buffer, seed: number): Buffer {
  const random = createRandom(seed);
  let spoilt = Buffer.from(bytes);
  const place = () => Math.floor(random() * spoilt.length);
  const faults = 1 + Math.floor(random() * 6);
  for (let fault = 0; fault < faults; fault++) {
    const from = place();
    const to = Math.min(spoilt.length, from + 1 + Math.floor(random() ** 4 * 4000));
    switch (Math.floor(random() * 6)) {
      case 0:
        spoilt.writeUInt8(Math.floor(random() * 256), from);
        break;
      case 1:
        for (let at = from; at < to; at++) spoilt[at] = Math.floor(random() * 256);
        break;
      case 2:
        spoilt.fill(random() < 0.5 ? 0 : 255, from, to);
        break;
      case 3:
        spoilt = Buffer.concat([spoilt.subarray(0, from), spoilt.subarray(to)]);
        break;
      case 4:
        spoilt = Buffer.concat([spoilt.subarray(0, to), spoilt.subarray(from)]);
        break;
      default:
        if (random() < 0.3) spoilt = spoilt.subarray(0, from);
        else if (from + 4 <= spoilt.length) spoilt.writeUInt32BE(Math.floor(random() * 2 ** 32), from);
    }
    if (spoilt.length === 0) return spoilt;
  }
  return spoilt;
}
