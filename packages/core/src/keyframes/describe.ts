import { INLIERS_AT_LEAST, INLIERS_SHARE } from "./support.ts";
import type { KeyFrameDecision, KeyFrameSettings, PairEvidence, PairFailure } from "./types.ts";

/**
 * One decision in a sentence: "dropped: overlap 0.71 ≥ 0.50, 212 matches, 187 inliers".
 */
export function describeDecision(decision: KeyFrameDecision, settings: KeyFrameSettings): string {
  const verdict = decision.kept ? "kept" : "dropped";
  return `${verdict}: ${[...describeRule(decision, settings), ...describeEvidence(decision)].join(", ")}`;
}

/** A failure in words. */
const FAILURES: Record<PairFailure, string> = {
  no_descriptors: "no features to compare",
  few_matches: "too few matches",
  no_homography: "no homography",
  degenerate_homography: "the homography is folded or mirrored",
  few_inliers: "too few inliers",
};

function describeRule(decision: KeyFrameDecision, settings: KeyFrameSettings): string[] {
  const { rule, kept } = decision;
  switch (rule) {
    case "first":
      return ["first frame"];
    case "last":
      return ["last frame", ...describeOverlap(decision)];
    case "low_overlap":
    case "enough_overlap":
      return [compareOverlap(decision.overlap, settings.threshold, kept)];
    case "gap":
      return [
        `nothing to compare for ${settings.gap_secs} s`,
        ...(decision.evidence?.failure
          ? [describeFailure(decision.evidence.failure, decision.evidence)]
          : []),
      ];
    case "uniform_minimum":
      return [
        kept
          ? `one of ${settings.min_frames} evenly apart: the selection was too small`
          : "the selection was too small and was thrown away",
        ...describeOverlap(decision),
      ];
    case "uniform_maximum":
      return [
        `more than ${settings.max_frames} key-frames, not among those evenly apart`,
        ...describeOverlap(decision),
      ];
    case "filled":
      return [`added to reach ${settings.min_frames} key-frames`, ...describeOverlap(decision)];
    case "thinned":
      return [`more than ${settings.max_frames} key-frames, others show more`, ...describeOverlap(decision)];
    default: {
      const failure = describeFailure(rule, decision.evidence);
      return [kept && settings.preset === "sightline" ? `another view (${failure})` : failure];
    }
  }
}

function describeFailure(failure: PairFailure, evidence: PairEvidence | null): string {
  if (
    failure === "few_inliers" &&
    evidence !== null &&
    evidence.spread !== null &&
    evidence.extent !== null
  ) {
    const wanted = INLIERS_AT_LEAST + INLIERS_SHARE * evidence.matches;
    const share = Math.round(100 * Math.min(evidence.spread, evidence.extent));
    if (evidence.inliers >= wanted) return `the inliers cover only ${share} % of the shared view`;
  }
  return FAILURES[failure];
}

function describeOverlap({ overlap, evidence }: KeyFrameDecision): string[] {
  if (overlap !== null) return [`overlap ${format(overlap)}`];
  return evidence?.failure ? [describeFailure(evidence.failure, evidence)] : [];
}

function describeEvidence({ evidence }: KeyFrameDecision): string[] {
  if (evidence === null || evidence.failure === "no_descriptors") return [];
  const matches = `${evidence.matches} ${evidence.matches === 1 ? "match" : "matches"}`;
  if (evidence.homography === null) return [matches];
  return [matches, `${evidence.inliers} ${evidence.inliers === 1 ? "inlier" : "inliers"}`];
}

/** With as many digits as show the difference: "overlap 0.498 < 0.500", "overlap 0.4998 < 0.5000". */
function compareOverlap(overlap: number | null, threshold: number, kept: boolean): string {
  const shows = (digits: number) => !kept || format(overlap, digits) !== format(threshold, digits);
  const digits = [2, 3, 4, 5].find(shows) ?? 6;
  return `overlap ${format(overlap, digits)} ${kept ? "<" : "≥"} ${format(threshold, digits)}`;
}

function format(overlap: number | null, digits = 2): string {
  return overlap === null ? "–" : overlap.toFixed(digits);
}
