import { describe, expect, it } from "vitest";
import type { GetPair } from "./chain.ts";
import { describeDecision } from "./describe.ts";
import type { FrameFeatures } from "./features.ts";
import { createPairSource, MissingPairError, noteMissing, PairCache, selectKeyFrames } from "./select.ts";
import {
  EMBODIED_R_SETTINGS,
  getEvidenceHash,
  getPresetSettings,
  hashSettings,
  SIGHTLINE_SETTINGS,
} from "./settings.ts";
import { createRandom } from "./testing.ts";
import type { KeyFrameSelection, KeyFrameSettings, PairEvidence, PairFailure } from "./types.ts";

/** A sampled frame a second with so many features. */
function makeFrames(count: number, features: number | ((i: number) => number) = 500): FrameFeatures[] {
  return Array.from({ length: count }, (_, i) => {
    const n = typeof features === "number" ? features : features(i);
    return {
      frame: i * 30,
      time_secs: i,
      width: 640,
      height: 360,
      points: new Float32Array(2 * n),
      descriptors: new Uint8Array(32 * n),
      noise: 0.05,
    };
  });
}

function makePair(reference: number, frame: number, fields: Partial<PairEvidence>): PairEvidence {
  return {
    reference,
    frame,
    matches: 200,
    inliers: 150,
    homography: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    overlap_forward: 1,
    overlap_backward: 1,
    spread: 0.8,
    extent: 0.5,
    failure: null,
    ...fields,
  };
}

const failed = (reference: number, frame: number, failure: PairFailure): PairEvidence =>
  makePair(reference, frame, {
    failure,
    homography: null,
    overlap_forward: null,
    overlap_backward: null,
    inliers: 0,
  });

/** A camera that pans by a share of the view every second. */
const pan =
  (share: number): GetPair =>
  (reference, frame) => {
    const overlap = Math.max(0, 1 - (share * (frame - reference)) / 30);
    return makePair(reference, frame, { overlap_forward: overlap, overlap_backward: overlap });
  };

const kept = ({ decisions }: KeyFrameSelection): number[] =>
  decisions.filter((decision) => decision.kept).map(({ frame }) => frame / 30);

const select = (frames: FrameFeatures[], getPair: GetPair, settings: Partial<KeyFrameSettings> = {}) =>
  selectKeyFrames("clip", frames, { ...SIGHTLINE_SETTINGS, ...settings }, getPair);

describe("sightline", () => {
  it("keeps the first, what overlaps too little with the last key-frame, and the last", () => {
    const selection = select(makeFrames(12), pan(0.2));
    expect(kept(selection)).toEqual([0, 3, 6, 9, 11]);
    expect(selection.decisions.map(({ rule }) => rule)).toEqual([
      "first",
      "enough_overlap",
      "enough_overlap",
      "low_overlap",
      "enough_overlap",
      "enough_overlap",
      "low_overlap",
      "enough_overlap",
      "enough_overlap",
      "low_overlap",
      "enough_overlap",
      "last",
    ]);
    expect(selection).toMatchObject({ clip_id: "clip", plane_width: 640, plane_height: 360, note: null });
    expect(selection.decisions[3]).toMatchObject({ frame: 90, time_secs: 3, features: 500 });
    expect(selection.decisions[3]?.evidence).toMatchObject({ reference: 0, frame: 90 });
  });

  it("B48: offers the last frame when it alone shows something new", () => {
    const selection = select(makeFrames(5), (reference, frame) =>
      makePair(reference, frame, frame === 120 ? { overlap_forward: 0.1, overlap_backward: 0.1 } : {}),
    );
    expect(selection.decisions.at(-1)).toMatchObject({
      frame: 120,
      kept: true,
      rule: "low_overlap",
      overlap: 0.1,
    });
  });

  it("lets the smaller overlap count, so that moving backward counts", () => {
    const backing: GetPair = (reference, frame) =>
      makePair(reference, frame, {
        overlap_forward: 1,
        overlap_backward: 1 / (1 + 0.3 * ((frame - reference) / 30)) ** 2,
      });
    expect(kept(select(makeFrames(9), backing)).length).toBeGreaterThan(4);
    const released = selectKeyFrames(
      "clip",
      makeFrames(9),
      { ...EMBODIED_R_SETTINGS, min_frames: 0 },
      backing,
    );
    expect(kept(released)).toEqual([0, 8]);
  });

  it("B46: drops a black frame by its name and compares what follows with the frame before it", () => {
    const selection = select(
      makeFrames(8, (i) => (i === 3 ? 0 : 500)),
      (reference, frame) =>
        frame === 90 || reference === 90
          ? failed(reference, frame, "no_descriptors")
          : pan(0.2)(reference, frame),
    );
    expect(selection.decisions[3]).toMatchObject({ kept: false, rule: "no_descriptors", features: 0 });
    expect(selection.decisions[4]).toMatchObject({ kept: true, rule: "low_overlap" });
    expect(selection.decisions[4]?.evidence?.reference).toBe(0);
    expect(selection.note).toContain("1 of 8 sampled frames has too little detail to be compared.");
  });

  it("B46: keeps of a flat wall only what the gap needs, and still meets the least number", () => {
    const flat: GetPair = (reference, frame) => failed(reference, frame, "no_descriptors");
    const long = select(makeFrames(20, 0), flat);
    expect(kept(long)).toEqual([0, 3, 6, 9, 12, 15, 18, 19]);
    expect(new Set(long.decisions.map(({ rule }) => rule))).toEqual(
      new Set(["first", "gap", "no_descriptors", "last"]),
    );
    expect(long.note).toBe("None of the 20 sampled frames has enough detail to be compared.");
    const short = select(makeFrames(6, 0), flat);
    expect(kept(short)).toHaveLength(4);
    expect(short.decisions.filter(({ rule }) => rule === "filled")).toHaveLength(1);
  });

  it("a poor frame that was kept for the gap is no reference", () => {
    const selection = select(
      makeFrames(9, (i) => (i >= 2 && i <= 6 ? 12 : 500)),
      (reference, frame) =>
        frame >= 60 && frame <= 180 ? failed(reference, frame, "few_matches") : pan(0.05)(reference, frame),
      { min_frames: 0 },
    );
    expect(selection.decisions[4]).toMatchObject({ kept: true, rule: "gap" });
    expect(selection.decisions[7]).toMatchObject({ kept: false, rule: "enough_overlap" });
    expect(selection.decisions[7]?.evidence?.reference).toBe(0);
  });

  it("keeps a rich frame that matches nothing at once: it is another view", () => {
    const selection = select(makeFrames(6), (reference, frame) =>
      reference < 60 && frame >= 60
        ? failed(reference, frame, "few_inliers")
        : makePair(reference, frame, {}),
    );
    expect(selection.decisions[2]).toMatchObject({ kept: true, rule: "few_inliers" });
    expect(selection.decisions[3]?.evidence?.reference).toBe(60);
  });

  it("treats noise as poor in detail", () => {
    const frames = makeFrames(8).map((frame) => ({ ...frame, noise: 0.98 }));
    const selection = select(frames, (reference, frame) => failed(reference, frame, "few_inliers"));
    expect(kept(selection)).toEqual([0, 3, 6, 7]);
  });

  it("says of a static clip that it is static, and spreads what it must add", () => {
    const selection = select(makeFrames(10), (reference, frame) => makePair(reference, frame, {}));
    expect(kept(selection)).toEqual([0, 4, 6, 9]);
    expect(selection.note).toBe(
      "The view hardly changes: no overlap below 1.00 in 10 sampled frames. 2 key-frames were fewer than 4; 2 more were added.",
    );
  });

  it("adds the frames that show most when there are too few", () => {
    const overlaps = [1, 0.9, 0.6, 0.85, 0.7, 0.9, 0.99];
    const selection = select(makeFrames(7), (reference, frame) =>
      makePair(reference, frame, { overlap_forward: overlaps[frame / 30] ?? 1 }),
    );
    expect(kept(selection)).toEqual([0, 2, 4, 6]);
    expect(selection.decisions[2]).toMatchObject({ rule: "filled", overlap: 0.6 });
  });

  it("takes away the frames that show least when there are too many", () => {
    const selection = select(
      makeFrames(12),
      (reference, frame) =>
        makePair(reference, frame, { overlap_forward: frame % 60 === 0 ? 0.45 : 0.1, overlap_backward: 0.9 }),
      { max_frames: 8 },
    );
    expect(kept(selection)).toHaveLength(8);
    expect(selection.decisions[0]).toMatchObject({ kept: true });
    expect(selection.decisions.at(-1)).toMatchObject({ kept: true });
    const thinned = selection.decisions.filter(({ rule }) => rule === "thinned");
    expect(thinned).toHaveLength(4);
    for (const { overlap } of thinned) expect(overlap).toBe(0.45);
    expect(selection.note).toContain("12 key-frames were more than 8");
  });
});

describe("embodied-r", () => {
  const released = (frames: FrameFeatures[], getPair: GetPair, settings: Partial<KeyFrameSettings> = {}) =>
    selectKeyFrames("clip", frames, { ...EMBODIED_R_SETTINGS, ...settings }, getPair);

  it("keeps every frame that it can't compare, and makes it the reference", () => {
    const selection = released(makeFrames(6, 0), (reference, frame) =>
      failed(reference, frame, "no_descriptors"),
    );
    expect(kept(selection)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(selection.decisions[5]?.evidence?.reference).toBe(120);
  });

  it("throws a small selection away for four frames evenly apart, and says so", () => {
    const selection = released(makeFrames(7), (reference, frame) => makePair(reference, frame, {}));
    expect(kept(selection)).toEqual([0, 1, 3, 6]);
    expect(selection.decisions[1]).toMatchObject({ rule: "uniform_minimum", overlap: 1 });
    expect(selection.note).toContain("The selection of 2 was thrown away for 4 frames evenly apart");
    expect(kept(released(makeFrames(3), (reference, frame) => makePair(reference, frame, {})))).toEqual([
      0, 1, 2,
    ]);
    expect(kept(released(makeFrames(1), pan(0)))).toEqual([0]);
  });

  it("drops by the clamp what the chain had kept", () => {
    const selection = released(makeFrames(9), (reference, frame) =>
      makePair(reference, frame, { overlap_forward: frame === 60 ? 0.2 : 1 }),
    );
    expect(kept(selection)).toEqual([0, 1, 5, 8]);
    expect(selection.decisions[2]).toMatchObject({ kept: false, rule: "uniform_minimum", overlap: 0.2 });
  });

  it("leaves 32 of more: the first, the last and 30 evenly apart between, rounded as Python rounds", () => {
    const selection = released(makeFrames(77), pan(0.6));
    const chosen = kept(selection);
    expect(chosen).toHaveLength(32);
    const step = 75 / 30;
    const between = Array.from({ length: 30 }, (_, i) => {
      const value = i * step;
      const floor = Math.floor(value);
      return 1 + (value - floor === 0.5 ? floor + (floor % 2) : Math.round(value));
    });
    expect(chosen).toEqual([0, ...between, 76]);
    expect(selection.decisions.some(({ kept: isKept, rule }) => !isKept && rule === "uniform_maximum")).toBe(
      true,
    );
  });

  it("counts the forward overlap only", () => {
    const selection = released(
      makeFrames(5),
      (reference, frame) => makePair(reference, frame, { overlap_forward: 0.8, overlap_backward: 0.1 }),
      { min_frames: 0 },
    );
    expect(kept(selection)).toEqual([0, 4]);
  });
});

describe("evidence", () => {
  it("compares a pair once, and answers from the cache without OpenCV", () => {
    const frames = makeFrames(12);
    let compared = 0;
    const cache = new PairCache();
    const extractor = {
      compare(reference: FrameFeatures, frame: FrameFeatures) {
        compared += 1;
        return pan(0.2)(reference.frame, frame.frame);
      },
    };
    const first = selectKeyFrames(
      "clip",
      frames,
      SIGHTLINE_SETTINGS,
      createPairSource(frames, cache, extractor),
    );
    expect(compared).toBe(11);
    const again = new PairCache(cache.list());
    expect(
      selectKeyFrames("clip", frames, SIGHTLINE_SETTINGS, createPairSource(frames, again, null)),
    ).toEqual(first);
    expect(compared).toBe(11);
    const other = { ...SIGHTLINE_SETTINGS, threshold: 0.7 };
    expect(() => selectKeyFrames("clip", frames, other, createPairSource(frames, again, null))).toThrow(
      MissingPairError,
    );
    expect(kept(selectKeyFrames("clip", frames, other, createPairSource(frames, again, extractor)))).toEqual([
      0, 2, 4, 6, 8, 10, 11,
    ]);
  });

  it("survives anything that pairs may say", () => {
    const random = createRandom(5);
    const failures = [
      null,
      null,
      null,
      "no_descriptors",
      "few_matches",
      "no_homography",
      "degenerate_homography",
      "few_inliers",
    ] as const;
    for (let round = 0; round < 300; round += 1) {
      const frames = makeFrames(Math.floor(random() * 60), () => Math.floor(random() * 500));
      const settings = {
        ...getPresetSettings(random() < 0.5 ? "sightline" : "embodied-r"),
        threshold: random(),
        min_frames: Math.floor(random() * 8),
        max_frames: 8 + Math.floor(random() * 30),
      };
      const selection = selectKeyFrames("clip", frames, settings, (reference, frame) => {
        const failure = failures[Math.floor(random() * failures.length)] ?? null;
        return failure === null
          ? makePair(reference, frame, { overlap_forward: random(), overlap_backward: random() })
          : failed(reference, frame, failure);
      });
      expect(selection.decisions).toHaveLength(frames.length);
      const count = kept(selection).length;
      expect(count).toBeLessThanOrEqual(settings.max_frames);
      expect(count).toBeGreaterThanOrEqual(Math.min(settings.min_frames, frames.length));
      for (const decision of selection.decisions) {
        expect(describeDecision(decision, settings)).toMatch(decision.kept ? /^kept: \S/ : /^dropped: \S/);
      }
      if (frames.length > 0) {
        expect(selection.decisions[0]?.kept).toBe(true);
        expect(selection.decisions.at(-1)?.kept).toBe(true);
      }
    }
  });

  it("says of an empty clip that it is empty", () => {
    expect(select([], pan(0))).toMatchObject({
      decisions: [],
      note: "The clip has no frames.",
      plane_width: null,
    });
  });

  it("says what could not be decoded", () => {
    const selection = select(makeFrames(12), pan(0.2));
    expect(noteMissing(selection, 12)).toBe(selection);
    expect(noteMissing(selection, 14).note).toBe("2 of 14 sampled frames could not be decoded.");
  });
});

describe("settings", () => {
  it("hashes every field, and evidence only by what it depends on", () => {
    const hash = hashSettings(SIGHTLINE_SETTINGS);
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(hashSettings({ ...SIGHTLINE_SETTINGS })).toBe(hash);
    const changes: [Partial<KeyFrameSettings>, boolean][] = [
      [{ threshold: 0.6 }, true],
      [{ min_frames: 5 }, true],
      [{ max_frames: 33 }, true],
      [{ gap_secs: 4 }, true],
      [{ preset: "embodied-r" }, false],
      [{ sampling: "released" }, false],
      [{ interval_secs: 0.5 }, false],
      [{ features: 400 }, false],
      [{ ransac_px: 4 }, false],
      [{ width: 320 }, false],
    ];
    for (const [change, sharesEvidence] of changes) {
      const settings = { ...SIGHTLINE_SETTINGS, ...change };
      expect(hashSettings(settings)).not.toBe(hash);
      expect(getEvidenceHash(settings) === getEvidenceHash(SIGHTLINE_SETTINGS)).toBe(sharesEvidence);
    }
  });
});

describe("a decision in words", () => {
  const frames = makeFrames(3);
  const say = (getPair: GetPair, settings: Partial<KeyFrameSettings> = {}) => {
    const all = { ...SIGHTLINE_SETTINGS, min_frames: 0, ...settings };
    return selectKeyFrames("clip", frames, all, getPair).decisions.map((decision) =>
      describeDecision(decision, all),
    );
  };

  it("says the overlap and what it rests on", () => {
    const said = say((reference, frame) =>
      makePair(reference, frame, {
        overlap_forward: 0.71,
        overlap_backward: 0.9,
        matches: 212,
        inliers: 187,
      }),
    );
    expect(said).toEqual([
      "kept: first frame",
      "dropped: overlap 0.71 ≥ 0.50, 212 matches, 187 inliers",
      "kept: last frame, overlap 0.71, 212 matches, 187 inliers",
    ]);
    const [, low] = say((reference, frame) => makePair(reference, frame, { overlap_forward: 0.41 }));
    expect(low).toBe("kept: overlap 0.41 < 0.50, 200 matches, 150 inliers");
  });

  it("names each failure", () => {
    const sentence = (failure: PairFailure, fields: Partial<PairEvidence> = {}) =>
      say((reference, frame) => ({ ...failed(reference, frame, failure), ...fields }), {
        preset: "embodied-r",
      })[1];
    expect(sentence("no_descriptors")).toBe("kept: no features to compare");
    expect(sentence("few_matches", { matches: 1 })).toBe("kept: too few matches, 1 match");
    expect(sentence("no_homography")).toBe("kept: no homography, 200 matches");
    const homography = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;
    const huddled = { spread: 0.08, extent: 0.3, homography, inliers: 60 };
    expect(sentence("few_inliers", huddled)).toBe(
      "kept: the inliers cover only 8 % of the shared view, 200 matches, 60 inliers",
    );
    expect(sentence("few_inliers", { ...huddled, inliers: 1 })).toBe(
      "kept: too few inliers, 200 matches, 1 inlier",
    );
    const [, other] = say((reference, frame) => ({
      ...failed(reference, frame, "few_inliers"),
      ...huddled,
      inliers: 5,
    }));
    expect(other).toBe("kept: another view (too few inliers), 200 matches, 5 inliers");
  });
});
