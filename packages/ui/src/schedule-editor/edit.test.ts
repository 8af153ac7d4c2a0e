import { SCHEDULE_PRESETS, validateStages } from "@sightline/core/schedules";
import { describe, expect, it } from "vitest";
import { makeRandom } from "../../gallery/random.ts";
import {
  bindToSteps,
  isSameSchedule,
  keepSteps,
  moveBorder,
  moveStage,
  removeStage,
  setLength,
  setStageSetting,
  setSteps,
  setWeight,
  splitStage,
} from "./edit.ts";
import { note, redo, startHistory, undo } from "./history.ts";

const paper = [...(SCHEDULE_PRESETS[0]?.stages ?? [])];
const borders = (stages: typeof paper) => stages.map(({ from_epoch, to_epoch }) => [from_epoch, to_epoch]);

describe("editing a schedule", () => {
  it("moves an inner border between its neighbours and the last one freely", () => {
    expect(borders(moveBorder(paper, 0, 3.1))).toEqual([
      [0, 3],
      [3, 4],
      [4, 12],
    ]);
    expect(borders(moveBorder(paper, 0, 99))).toEqual([
      [0, 3.75],
      [3.75, 4],
      [4, 12],
    ]);
    expect(borders(moveBorder(paper, 0, -5))).toEqual([
      [0, 0.25],
      [0.25, 4],
      [4, 12],
    ]);
    expect(borders(moveBorder(paper, 2, 20))).toEqual([
      [0, 2],
      [2, 4],
      [4, 20],
    ]);
  });

  it("keeps lengths when stages change places, go or grow", () => {
    const moved = moveStage(paper, 2, 0);
    expect(moved.map((stage) => stage.name)).toEqual(["consistency", "format", "accuracy"]);
    expect(borders(moved)).toEqual([
      [0, 8],
      [8, 10],
      [10, 12],
    ]);
    expect(borders(removeStage(paper, 0))).toEqual([
      [0, 2],
      [2, 10],
    ]);
    expect(removeStage(paper.slice(0, 1), 0)).toHaveLength(1);
    expect(borders(setLength(paper, 0, 4))).toEqual([
      [0, 4],
      [4, 6],
      [6, 14],
    ]);
  });

  it("binds stages to steps and back, and keeps their number through drags, moves and cuts", () => {
    const bound = bindToSteps(paper, true, 50);
    expect(bound.map(({ steps }) => steps)).toEqual([100, 100, 400]);
    const uneven = setSteps(bound, 0, 33, 50);
    expect(uneven.map(({ steps }) => steps)).toEqual([33, 100, 400]);
    expect(borders(uneven)[0]).toEqual([0, 0.66]);
    const moved = keepSteps(uneven, moveStage(uneven, 0, 2), 50);
    expect(moved.map(({ name, steps }) => [name, steps])).toEqual([
      ["accuracy", 100],
      ["consistency", 400],
      ["format", 33],
    ]);
    const cut = keepSteps(bound, splitStage(bound, 2), 50);
    expect(cut.map(({ steps }) => steps)).toEqual([100, 100, 200, 200]);
    const dragged = keepSteps(bound, moveBorder(bound, 0, 3), 50);
    expect(dragged.map(({ steps }) => steps)).toEqual([150, 50, 400]);
    expect(validateStages(dragged)).toEqual([]);
    expect(borders(bindToSteps(dragged, false, 50))).toEqual([
      [0, 3],
      [3, 4],
      [4, 12],
    ]);
    expect(bindToSteps(dragged, false, 50)[0]).not.toHaveProperty("steps");
  });

  it("gives a stage settings of its own and takes them away again", () => {
    const own = setStageSetting(paper, 1, "learning_rate", 1e-6);
    expect(own[1]?.learning_rate).toBe(1e-6);
    expect(isSameSchedule(own, paper)).toBe(false);
    expect(isSameSchedule(setStageSetting(own, 1, "learning_rate", null), paper)).toBe(true);
  });

  it("never makes a schedule that cannot run", () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = makeRandom(seed);
      let stages = paper;
      for (let k = 0; k < 60; k += 1) {
        const index = Math.floor(random() * stages.length);
        const edits = [
          () => moveBorder(stages, index, random() * 16),
          () => moveStage(stages, index, Math.floor(random() * stages.length)),
          () => splitStage(stages, index),
          () => removeStage(stages, index),
          () => setLength(stages, index, random() * 5),
          () => setWeight(stages, index, "format", 1 + Math.floor(random() * 9)),
        ];
        stages = (edits[Math.floor(random() * edits.length)] ?? (() => stages))();
        expect(validateStages(stages)).toEqual([]);
      }
    }
  });

  it("undoes a whole drag at once, and redoes it", () => {
    let history = startHistory(0);
    history = note(history, 1);
    history = note(history, 2, true);
    history = note(history, 3, true);
    expect(undo(history).now).toBe(0);
    expect(redo(undo(history)).now).toBe(3);
    expect(undo(startHistory(1)).now).toBe(1);
  });
});
