/** Which frames to decode next: from `from` to `to`, both included. */
export type DecodePlan = {
  from: number;
  to: number;
  /** The frame under the eye is among them; anything else waits. */
  urgent: boolean;
};

/** A pass of the decoder that is under way. */
export type DecodePass = {
  /** First frame that is kept; those between the key and it are only decoded. */
  from: number;
  /** Last frame that is wanted so far. */
  to: number;
  /** The frame that comes next. */
  next: number;
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

/** Going on through this many frames is cheaper than starting anew at a key. */
const CHEAP_DISTANCE = 8;
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

/**
 * How little a held picture is needed, to let go of the least needed first: 0 under the eye, growing with the distance,
 * faster behind the eye than ahead of it.
 */
export function getNeedlessness(frame: number, focus: number, direction: 1 | -1): number {
  const ahead = (frame - focus) * direction;
  return ahead >= 0 ? ahead / AHEAD : -ahead / BEHIND;
}

/**
 * How a pass that is under way goes on to fulfil a plan.
 *
 * @param keys  Frames from which decoding can begin, ascending; null while unknown.
 * @returns Null when a new pass is needed.
 */
export function goOn(
  pass: DecodePass,
  plan: DecodePlan,
  focus: number,
  keys: readonly number[] | null,
): DecodePass | null {
  const { from, to, next } = pass;
  const distance = plan.from - next;
  if (distance >= 0) {
    const key = keys?.findLast((frame) => frame <= plan.from);
    const is_on_the_way = distance <= CHEAP_DISTANCE || (key !== undefined && key <= next);
    return is_on_the_way ? { from: Math.max(from, Math.min(plan.from, next)), to: plan.to, next } : null;
  }
  const reaches_focus = !plan.urgent || next <= focus;
  return to === plan.to && next <= plan.to && reaches_focus ? pass : null;
}
