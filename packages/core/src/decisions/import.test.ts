import { expect, test } from "vitest";
import { checkDecided } from "./check.ts";
import { describeDecided } from "./describe.ts";
import { foldVersion } from "./fold.ts";
import { beginHistory, layGround } from "./testing.ts";

const ground = layGround([0, 10, 30, 55]);
const take = (...frames: number[]) => ({ kind: "import", frames, source: "walk.csv" }) as const;
const list = (history: ReturnType<typeof beginHistory>["history"], version?: number) =>
  foldVersion(ground, history, version).key_frames.map(({ frame }) => frame);

test("an import sets the key-frames, whatever was said before, and says who did", () => {
  const { history, say } = beginHistory(ground);
  say({ kind: "drop", frame: 10 });
  expect(say(take(0, 12, 30), "Bo")).not.toBeNull();
  expect(list(history)).toEqual([0, 12, 30]);
  expect(list(history, 1)).toEqual([0, 30, 55]);
  const { key_frames, left_out, imported } = foldVersion(ground, history);
  expect(imported).toMatchObject({ author: "Bo", source: "walk.csv" });
  expect(foldVersion(ground, history, 1).imported).toBeNull();
  expect(key_frames.map(({ origin, by }) => [origin, by?.author ?? null])).toEqual([
    ["extractor", null],
    ["person", "Bo"],
    ["extractor", null],
  ]);
  expect(left_out.map(({ frame, by }) => [frame, by.author])).toEqual([
    [10, "Bo"],
    [55, "Bo"],
  ]);
  expect(describeDecided(take(0, 12, 30))).toBe("took 3 key-frames from walk.csv");
});

test("it is corrected further, taken back and brought back", () => {
  const { history, say } = beginHistory(ground);
  say({ kind: "add", frame: 5 });
  const imported = say(take(0, 12, 30));
  say({ kind: "shift", frame: 12, to_frame: 14 });
  expect(list(history)).toEqual([0, 14, 30]);
  // The shift rests on the import.
  expect(say({ kind: "undo", undoes: imported?.decision_id ?? "" })).toBeNull();
  say({ kind: "undo", undoes: "d3" });
  const undo = say({ kind: "undo", undoes: imported?.decision_id ?? "" });
  expect(list(history)).toEqual([0, 5, 10, 30, 55]);
  say({ kind: "redo", undoes: undo?.decision_id ?? "" });
  expect(list(history)).toEqual([0, 12, 30]);
});

test("what lies before it is taken back after it only", () => {
  const { history, say } = beginHistory(ground);
  say({ kind: "add", frame: 5 });
  say(take(0, 12, 30));
  expect(checkDecided(ground, history, { kind: "undo", undoes: "d1" })).toEqual({
    outcome: "refused",
    reason: "Ana took 3 key-frames from walk.csv after that. Take that back first.",
  });
});

test.each([
  [[], /at least one/],
  [[5, 5], /rising order/],
  [[5, 4], /rising order/],
  [[60], /no frame 60/],
  [[-1], /no frame -1/],
  [[1.5], /no frame 1.5/],
  [[0, 10, 30, 55], /already/],
])("%j is refused", (frames, reason) => {
  expect(checkDecided(ground, [], take(...frames))).toEqual({
    outcome: "refused",
    reason: expect.stringMatching(reason),
  });
});
