import { type GetPair, isRich, type SampledFrame, startChain } from "./chain.ts";
import { clampSelection, SAME_VIEW } from "./clamp.ts";
import type { Extractor } from "./extractor.ts";
import { countFeatures, type FrameFeatures } from "./features.ts";
import { hashSettings } from "./settings.ts";
import type { KeyFrameDecision, KeyFrameSelection, KeyFrameSettings, PairEvidence } from "./types.ts";

/** Pairs that were compared, by reference and candidate. */
export class PairCache {
  readonly #pairs = new Map<string, PairEvidence>();

  constructor(pairs: Iterable<PairEvidence> = []) {
    for (const pair of pairs) this.add(pair);
  }

  add(pair: PairEvidence): void {
    this.#pairs.set(`${pair.reference} ${pair.frame}`, pair);
  }

  get(reference: number, frame: number): PairEvidence | undefined {
    return this.#pairs.get(`${reference} ${frame}`);
  }

  get size(): number {
    return this.#pairs.size;
  }

  list(): PairEvidence[] {
    return [...this.#pairs.values()];
  }
}

/** A pair that a selection needs was never compared. */
export class MissingPairError extends Error {
  override name = "MissingPairError";

  constructor(
    readonly reference: number,
    readonly frame: number,
  ) {
    super(`frames ${reference} and ${frame} were not compared yet`);
  }
}

/**
 * Evidence of pairs: from the cache, else by comparing features and remembering the outcome.
 *
 * @param extractor  Null where there is no OpenCV: a pair that is not cached then throws MissingPairError.
 */
export function createPairSource(
  frames: readonly FrameFeatures[],
  cache: PairCache,
  extractor: Pick<Extractor, "compare"> | null,
): GetPair {
  const byOrdinal = new Map(frames.map((frame) => [frame.frame, frame]));
  return (reference, frame) => {
    const cached = cache.get(reference, frame);
    if (cached !== undefined) return cached;
    const from = byOrdinal.get(reference);
    const to = byOrdinal.get(frame);
    if (extractor === null || from === undefined || to === undefined)
      throw new MissingPairError(reference, frame);
    const pair = extractor.compare(from, to);
    cache.add(pair);
    return pair;
  };
}

/** What the chain needs of a frame's features. */
export function toSampledFrame(features: FrameFeatures): SampledFrame {
  return {
    frame: features.frame,
    time_secs: features.time_secs,
    features: countFeatures(features),
    noise: features.noise,
  };
}

/**
 * Selects key-frames from features and pairs; pure arithmetic where all pairs are cached.
 *
 * @param frames  Features of the sampled frames in presentation order.
 */
export function selectKeyFrames(
  clip_id: string,
  frames: readonly FrameFeatures[],
  settings: KeyFrameSettings,
  getPair: GetPair,
): KeyFrameSelection {
  const chain = startChain(settings, getPair);
  for (const frame of frames) chain.push(toSampledFrame(frame));
  return finishSelection(clip_id, frames, settings, chain.finish());
}

/** Clamps a chain's decisions and says what a person should know of them. */
export function finishSelection(
  clip_id: string,
  frames: readonly FrameFeatures[],
  settings: KeyFrameSettings,
  chained: readonly KeyFrameDecision[],
): KeyFrameSelection {
  return {
    clip_id,
    settings,
    settings_hash: hashSettings(settings),
    plane_width: frames[0]?.width ?? null,
    plane_height: frames[0]?.height ?? null,
    decisions: clampSelection(chained, settings),
    note: describeSelection(frames, settings, chained),
  };
}

/** Says in the note that frames are missing which should have been looked at: some could not be decoded. */
export function noteMissing(selection: KeyFrameSelection, sampled: number): KeyFrameSelection {
  const missing = sampled - selection.decisions.length;
  if (missing <= 0) return selection;
  const lost = `${missing} of ${sampled} sampled frames could not be decoded.`;
  return { ...selection, note: selection.note === null ? lost : `${lost} ${selection.note}` };
}

function describeSelection(
  frames: readonly FrameFeatures[],
  settings: KeyFrameSettings,
  chained: readonly KeyFrameDecision[],
): string | null {
  const sampled = chained.length;
  if (sampled === 0) return "The clip has no frames.";
  const sentences: string[] = [];

  const overlaps = chained.flatMap(({ overlap }) => (overlap === null ? [] : [overlap]));
  const lowest = Math.min(1, ...overlaps);
  if (sampled > 2 && overlaps.length === sampled - 1 && lowest >= SAME_VIEW) {
    sentences.push(
      `The view hardly changes: no overlap below ${lowest.toFixed(2)} in ${sampled} sampled frames.`,
    );
  }

  const poor = frames.filter((frame) => !isRich(toSampledFrame(frame), settings)).length;
  if (poor > 0) {
    sentences.push(
      poor === sampled
        ? `None of the ${sampled} sampled frames has enough detail to be compared.`
        : `${poor} of ${sampled} sampled frames ${poor === 1 ? "has" : "have"} too little detail to be compared.`,
    );
  }

  const kept = chained.filter((decision) => decision.kept).length;
  if (kept < settings.min_frames && kept < sampled) {
    const most = Math.min(settings.min_frames, sampled);
    sentences.push(
      settings.preset === "embodied-r"
        ? `The selection of ${kept} was thrown away for ${most} frames evenly apart, as the released extractor does.`
        : `${kept} key-frames were fewer than ${settings.min_frames}; ${most - kept} more were added.`,
    );
  }
  if (kept > settings.max_frames) {
    sentences.push(
      settings.preset === "embodied-r"
        ? `Of ${kept} key-frames ${settings.max_frames} evenly apart were left, as the released extractor does.`
        : `${kept} key-frames were more than ${settings.max_frames}; those that show least that is new were taken away.`,
    );
  }
  return sentences.length === 0 ? null : sentences.join(" ");
}
