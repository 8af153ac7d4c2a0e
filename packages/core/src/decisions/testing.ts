import { checkDecided } from "./check.ts";
import type { Ground } from "./fold.ts";
import type { Decided, Decision } from "./types.ts";

const HASH = "0123456789abcdef";
const CLIP = "a".repeat(64);

/** A clip of so many frames, one a tenth of a second, every fifth sampled, of which `kept` are key-frames. */
export function layGround(kept: readonly number[], count = 60): Ground {
  const time_secs = Array.from({ length: count }, (_, i) => i / 10);
  const sampled = time_secs.flatMap((at, frame) => (frame % 5 === 0 ? [{ frame, time_secs: at }] : []));
  const decisions = sampled.map(({ frame, time_secs: at }) => ({
    frame,
    time_secs: at,
    kept: kept.includes(frame),
    rule: kept.includes(frame) ? ("low_overlap" as const) : ("enough_overlap" as const),
    overlap: 0.5,
    evidence: null,
    features: 500,
  }));
  return { selection: { clip_id: CLIP, settings_hash: HASH, decisions }, time_secs };
}

/** A history that grows by what is said to it, as the server lets it grow. */
export function beginHistory(ground: Ground) {
  const history: Decision[] = [];
  /** Appends, whether it fits or not. */
  const append = (decided: Decided, author = "Ana"): Decision => {
    const version = history.length + 1;
    const decision: Decision = {
      ...decided,
      decision_id: `d${version}`,
      clip_id: CLIP,
      settings_hash: HASH,
      version,
      author,
      made_secs: 1_000 + version,
    };
    history.push(decision);
    return decision;
  };
  /** Appends what can be said; null where it can't. */
  const say = (decided: Decided, author = "Ana"): Decision | null =>
    checkDecided(ground, history, decided).outcome === "new" ? append(decided, author) : null;
  return { history, append, say };
}
