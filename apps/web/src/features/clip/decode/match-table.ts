import type { SampleTable } from "@sightline/core/clips";

/** How far two readers of one container may round a presentation time apart, in seconds. */
const TOLERANCE_SECS = 0.0015;

/** Whether the browser's reading of a file agrees with the server's sample table. */
export type TableMatch =
  /** `container_secs[ordinal]` is the presentation time under which the browser's reader knows the frame. */
  | { matches: true; container_secs: number[] }
  /** `reason` is part of a sentence: "the browser reads 120 frames, the server 118". */
  | { matches: false; reason: string };

/** The times that a file should have by the server's table, before the file itself has been read. */
export function expectedTimes(table: SampleTable): number[] {
  return table.time_secs.map((time_secs) => time_secs + table.first_time_secs);
}

/**
 * Compares the presentation times that the browser reads from a file with the server's sample table.
 *
 * Equal counts match frame by frame, up to a constant shift. Where the file holds more packets than the table has
 * frames (packets outside the edit list, or ones that the server could not decode), each frame must be found at its
 * own container time: with a shift as well the pairing would be a guess.
 *
 * @param packet_secs  Presentation times of all packets, in seconds, in any order.
 */
export function matchTable(packet_secs: readonly number[], table: SampleTable): TableMatch {
  const packets = packet_secs.toSorted((a, b) => a - b);
  const count = table.time_secs.length;
  if (packets.length === count) {
    const shift = packets[0] ?? 0;
    const differing = packets.findIndex(
      (secs, ordinal) => Math.abs(secs - shift - (table.time_secs[ordinal] ?? 0)) > TOLERANCE_SECS,
    );
    if (differing === -1) return { matches: true, container_secs: packets };
    return { matches: false, reason: `the times of frame ${differing} differ` };
  }
  if (packets.length < count) {
    return { matches: false, reason: `the browser reads ${packets.length} frames, the server ${count}` };
  }
  const container_secs: number[] = [];
  let at = 0;
  for (const [ordinal, expected] of expectedTimes(table).entries()) {
    while (at < packets.length && (packets[at] ?? 0) < expected - TOLERANCE_SECS) at += 1;
    let best = packets[at];
    if (best === undefined || best > expected + TOLERANCE_SECS) {
      return {
        matches: false,
        reason: `the browser reads no frame at ${expected.toFixed(3)} s, frame ${ordinal}`,
      };
    }
    for (let next = packets[at + 1]; next !== undefined; next = packets[at + 1]) {
      if (Math.abs(next - expected) >= Math.abs(best - expected)) break;
      best = next;
      at += 1;
    }
    container_secs.push(best);
    at += 1;
  }
  return { matches: true, container_secs };
}

/**
 * The frame whose container time is this one.
 *
 * @param container_secs  Container times by ordinal, ascending.
 * @returns The ordinal, or null where no frame has this time.
 */
export function findOrdinal(container_secs: readonly number[], at_secs: number): number | null {
  let low = 0;
  let high = container_secs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((container_secs[middle] ?? 0) < at_secs) low = middle + 1;
    else high = middle;
  }
  const above = container_secs[low];
  const below = container_secs[low - 1];
  if (above === undefined) return null;
  const nearest = below !== undefined && at_secs - below < Math.abs(above - at_secs) ? low - 1 : low;
  return Math.abs((container_secs[nearest] ?? 0) - at_secs) <= TOLERANCE_SECS ? nearest : null;
}
