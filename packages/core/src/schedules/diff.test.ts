import { describe, expect, it } from "vitest";
import type { StageSpec } from "../runs/types.ts";
import { differingStretches, diffSchedules, schedulePreset } from "./index.ts";

const paper = schedulePreset("paper") ?? [];
const change = (index: number, more: Partial<StageSpec>) =>
  paper.map((stage, k) => (k === index ? { ...stage, ...more } : stage));

describe("two schedules", () => {
  it("differ in nothing where only the way of writing a ratio differs", () => {
    const written = change(0, { weights: { format: 0.7, accuracy: 0.3, consistency: 0 } });
    expect(diffSchedules(paper, written)).toEqual([]);
    expect(differingStretches(paper, written)).toEqual([]);
  });

  it("are told apart stage by stage: weights, length, beginning, settings of their own", () => {
    const theirs = [
      { ...paper[0], to_epoch: 3 },
      { ...paper[1], from_epoch: 3, to_epoch: 5, learning_rate: 1e-6 },
      { ...paper[2], from_epoch: 5, weights: { format: 2, accuracy: 6, consistency: 2 } },
    ] as StageSpec[];
    expect(diffSchedules(paper, theirs)).toEqual([
      { stage: "format", what: "Lasts", mine: "2 epochs", theirs: "3 epochs" },
      { stage: "accuracy", what: "Begins", mine: "at epoch 2", theirs: "at epoch 3" },
      { stage: "accuracy", what: "Learning rate", mine: "the run's", theirs: "0.000001" },
      { stage: "consistency", what: "Weights", mine: "1:7:2", theirs: "2:6:2" },
      { stage: "consistency", what: "Begins", mine: "at epoch 4", theirs: "at epoch 5" },
      { stage: "consistency", what: "Lasts", mine: "8 epochs", theirs: "7 epochs" },
    ]);
    expect(differingStretches(paper, theirs)).toEqual([
      { from_epoch: 2, to_epoch: 3 },
      { from_epoch: 4, to_epoch: 12 },
    ]);
  });

  it("may have more or fewer stages, other names, steps, and rewards of their own", () => {
    const fixed = schedulePreset("released") ?? [];
    expect(diffSchedules(paper, fixed)).toEqual([
      { stage: "format", what: "Name", mine: "format", theirs: "fixed" },
      { stage: "format", what: "Weights", mine: "7:3:0", theirs: "0.1:0.7:0.2" },
      { stage: "accuracy", what: "Stage", mine: "3:7:0, 2 epochs", theirs: "–" },
      { stage: "consistency", what: "Stage", mine: "1:7:2, 8 epochs", theirs: "–" },
    ]);
    expect(diffSchedules(fixed, paper).at(-1)).toEqual({
      stage: "consistency",
      what: "Stage",
      mine: "–",
      theirs: "1:7:2, 8 epochs",
    });
    expect(differingStretches(paper, fixed)).toEqual([{ from_epoch: 0, to_epoch: 12 }]);
    const bySteps = paper.map((stage) => ({ ...stage, steps: 100 }));
    expect(diffSchedules(paper, bySteps)[0]).toMatchObject({ what: "Begins", theirs: "at step 1" });
    const own = change(2, { weights: { format: 1, accuracy: 7, consistency: 2, brevity: 1 } });
    expect(diffSchedules(paper, own)).toEqual([
      { stage: "consistency", what: "Weights", mine: "1:7:2", theirs: "1:7:2 brevity 1" },
    ]);
  });
});
