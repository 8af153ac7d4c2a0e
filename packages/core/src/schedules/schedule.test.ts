import { describe, expect, it } from "vitest";
import {
  fitToEpochs,
  formatRatio,
  normalise,
  parseRatio,
  SCHEDULE_PRESETS,
  schedulePreset,
  stageAt,
  stageSteps,
  totalEpochs,
  validateStages,
  weightsAt,
  weightsAtStep,
} from "./index.ts";

const paper = schedulePreset("paper") ?? [];

describe("schedules", () => {
  it("holds the paper's stages at their borders", () => {
    expect(weightsAt(paper, 0)).toEqual({ format: 0.7, accuracy: 0.3, consistency: 0 });
    expect(weightsAt(paper, 1.999)).toEqual({ format: 0.7, accuracy: 0.3, consistency: 0 });
    expect(weightsAt(paper, 2)).toEqual({ format: 0.3, accuracy: 0.7, consistency: 0 });
    expect(weightsAt(paper, 4)).toEqual({ format: 0.1, accuracy: 0.7, consistency: 0.2 });
    expect(stageAt(paper, 12)?.index).toBe(2);
    expect(stageAt(paper, -1)?.index).toBe(0);
  });

  it("gives the released weights the ratio of the paper's last stage", () => {
    const released = weightsAt(schedulePreset("released") ?? [], 1);
    const last = weightsAt(paper, 5);
    for (const part of ["format", "accuracy", "consistency"] as const) {
      expect(released?.[part]).toBeCloseTo(last?.[part] ?? -1, 12);
    }
  });

  it("chooses weights before the step that uses them", () => {
    const tiny = fitToEpochs(paper, 3);
    expect(totalEpochs(tiny)).toBe(3);
    expect(stageSteps(tiny, 64)).toEqual([
      { from_step: 1, to_step: 33 },
      { from_step: 33, to_step: 65 },
      { from_step: 65, to_step: 193 },
    ]);
    expect(weightsAtStep(tiny, 32, 64)).toEqual({ format: 0.7, accuracy: 0.3, consistency: 0 });
    expect(weightsAtStep(tiny, 33, 64)).toEqual({ format: 0.3, accuracy: 0.7, consistency: 0 });
  });

  it("binds stages to steps where they say how many", () => {
    const stages = paper.map((stage, index) => ({ ...stage, steps: [5, 2, 3][index] as number }));
    expect(stageSteps(stages, 64)).toEqual([
      { from_step: 1, to_step: 6 },
      { from_step: 6, to_step: 8 },
      { from_step: 8, to_step: 11 },
    ]);
    expect([5, 6, 7, 8, 99].map((step) => weightsAtStep(stages, step, 64)?.format)).toEqual([
      0.7, 0.3, 0.3, 0.1, 0.1,
    ]);
    expect(validateStages(stages)).toEqual([]);
    const mixed = paper.map((stage, index) => (index === 0 ? { ...stage, steps: 1.5 } : stage));
    expect(validateStages(mixed)).toEqual([
      "Stage 1 (format) has no whole number of steps; give all stages steps, or none.",
      "Stage 2 (accuracy) has no whole number of steps; give all stages steps, or none.",
      "Stage 3 (consistency) has no whole number of steps; give all stages steps, or none.",
    ]);
  });

  it("weighs rewards that a person wrote, and refuses settings of a stage that can't be", () => {
    const weights = { format: 1, accuracy: 2, consistency: 0, brevity: 1 };
    expect(normalise(weights)).toEqual({ format: 0.25, accuracy: 0.5, consistency: 0, brevity: 0.25 });
    expect(formatRatio(weights)).toBe("1:2:0 brevity 1");
    const own = { name: "own", weights, from_epoch: 0, to_epoch: 1 };
    expect(validateStages([{ ...own, learning_rate: 1e-5, beta: 0, temperature: 0.8 }])).toEqual([]);
    expect(validateStages([{ ...own, learning_rate: 0, beta: -0.5, temperature: Number.NaN }])).toEqual([
      "Stage 1 (own) has a learning_rate of 0, which is no number above 0.",
      "Stage 1 (own) has a beta of -0.5, which is no number of 0 or more.",
      "Stage 1 (own) has a temperature of NaN, which is no number above 0.",
    ]);
  });

  it("reads and writes ratios", () => {
    expect(parseRatio("7:3:0")).toEqual({ format: 7, accuracy: 3, consistency: 0 });
    expect(parseRatio(" 1 : 7 : 2 ")).toEqual({ format: 1, accuracy: 7, consistency: 2 });
    expect(formatRatio({ format: 0.1, accuracy: 0.7, consistency: 0.2 })).toBe("0.1:0.7:0.2");
    for (const bad of ["", "7:3", "0:0:0", "a:b:c", "-1:2:3", "1:2:3:4"]) expect(parseRatio(bad)).toBeNull();
    expect(normalise({ format: 1e308, accuracy: 1e308, consistency: 0 })).toEqual({
      format: 0.5,
      accuracy: 0.5,
      consistency: 0,
    });
    expect(normalise({ format: 0, accuracy: 0, consistency: 0 })).toBeNull();
    expect(normalise({ format: Number.NaN, accuracy: 1, consistency: 0 })).toBeNull();
  });

  it("finds no fault in any preset and says each fault of a bad one", () => {
    for (const { stages } of SCHEDULE_PRESETS) expect(validateStages(stages)).toEqual([]);
    expect(validateStages([])).toEqual(["The schedule has no stage; add one."]);
    const weights = { format: 1, accuracy: 0, consistency: 0 };
    expect(
      validateStages([
        { name: "a", weights, from_epoch: 0.5, to_epoch: 1 },
        { name: "a", weights: { ...weights, format: 0 }, from_epoch: 2, to_epoch: 2 },
        { name: "", weights: { ...weights, accuracy: -1 }, from_epoch: 1, to_epoch: 3 },
      ]),
    ).toEqual([
      "Stage 1 (a) begins at epoch 0.5; the first stage begins at 0.",
      "Stage 2 (a) has the name of an earlier stage.",
      "Stage 2 (a) weighs nothing: give format, accuracy or consistency a weight above 0.",
      "Stage 2 (a) ends at epoch 2, not after it begins (2).",
      "Epochs 1 to 2 before Stage 2 (a) have no weights.",
      "Stage 3 has no name.",
      "Stage 3 has a negative weight.",
      "Stage 3 begins at epoch 1, before the stage before it ends (2).",
    ]);
  });
});
