/** Which frames to decode next: from `from` to `to`, both included. */
export type DecodePlan = {
  from: number;
  to: number;
  /** The frame under the eye is among them; anything else waits. */
  urgent: boolean;
};

/** What a plan depends on. */
export type DecodeNeeds = {
  /** The frame under the eye. */
  focus: number;
  /** Where the eye is going. */
  direction: 1 | -1;
  frame_count: number;
  /** How many pictures may be held at once. */
  capacity: number;
  /** Whether nothing needs to be done for a frame: it is held, or it can't be had. */
  has(frame: number): boolean;
  /** The frame at or before this one from which decoding can begin. */
  keyOf(frame: number): number;
};

/** Shares of the capacity that lie in the eye's direction and behind it; the rest is slack for eviction. */
const AHEAD = 0.6;
const BEHIND = 0.25;
/** A stretch behind the decoder costs decoding from its key, so it is refilled when this share of it is gone. */
const REFILL_BELOW = 0.6;

function firstMissing(needs: DecodeNeeds, step: 1 | -1, reach: number): number | null {
  for (let distance = 1; distance <= reach; distance += 1) {
    const frame = needs.focus + step * distance;
    if (frame < 0 || frame >= needs.frame_count) return null;
    if (!needs.has(frame)) return frame;
  }
  return null;
}

function planForward(needs: DecodeNeeds, reach: number): DecodePlan | null {
  const from = firstMissing(needs, 1, reach);
  if (from === null) return null;
  return { from, to: Math.min(needs.frame_count - 1, needs.focus + reach), urgent: false };
}

function planBackward(needs: DecodeNeeds, reach: number): DecodePlan | null {
  const to = firstMissing(needs, -1, reach);
  if (to === null || needs.focus - to > reach * REFILL_BELOW) return null;
  return { from: Math.max(needs.keyOf(to), needs.focus - reach, 0), to, urgent: false };
}

/**
 * What to decode next so that the frame under the eye comes first and the eye then never waits.
 * Forwards, decoding goes on frame by frame; backwards it works in stretches, because each begins at a key.
 *
 * @returns Null when all that should be at hand is.
 */
export function planDecode(needs: DecodeNeeds): DecodePlan | null {
  const { focus, direction, frame_count, capacity } = needs;
  const ahead = Math.max(1, Math.floor(capacity * AHEAD));
  const behind = Math.floor(capacity * BEHIND);
  if (!needs.has(focus)) {
    if (direction === 1) return { from: focus, to: Math.min(frame_count - 1, focus + ahead), urgent: true };
    return { from: Math.max(needs.keyOf(focus), focus - ahead, 0), to: focus, urgent: true };
  }
  if (direction === 1) return planForward(needs, ahead) ?? planBackward(needs, behind);
  return planBackward(needs, ahead) ?? planForward(needs, behind);
}
