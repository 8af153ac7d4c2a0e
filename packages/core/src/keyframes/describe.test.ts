import { expect, it } from "vitest";
import { describeDecision } from "./describe.ts";
import { SIGHTLINE_SETTINGS } from "./index.ts";
import type { KeyFrameDecision } from "./types.ts";

const decide = (overlap: number): KeyFrameDecision => ({
  frame: 10,
  features: 500,
  time_secs: 1,
  kept: overlap < 0.5,
  rule: overlap < 0.5 ? "low_overlap" : "enough_overlap",
  overlap,
  evidence: null,
});

it("gives more digits where two would hide why a frame was kept", () => {
  expect(describeDecision(decide(0.4981), SIGHTLINE_SETTINGS)).toBe("kept: overlap 0.498 < 0.500");
  expect(describeDecision(decide(0.49981), SIGHTLINE_SETTINGS)).toBe("kept: overlap 0.4998 < 0.5000");
  expect(describeDecision(decide(0.41), SIGHTLINE_SETTINGS)).toBe("kept: overlap 0.41 < 0.50");
  expect(describeDecision(decide(0.5), SIGHTLINE_SETTINGS)).toBe("dropped: overlap 0.50 ≥ 0.50");
});
