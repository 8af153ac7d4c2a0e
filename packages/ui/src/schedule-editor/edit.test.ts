import { SCHEDULE_PRESETS, validateStages } from "@sightline/core/schedules";
import { describe, expect, it } from "vitest";
import { makeRandom } from "../../gallery/random.ts";
import { moveBorder, moveStage, removeStage, setLength, setWeight, splitStage } from "./edit.ts";
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
