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

test("it brings what people called its ways, and what was said of those it left as they were stays", () => {
  const { history, say } = beginHistory(ground);
  const way = { from_frame: 0, frame: 10, said_by: "geometry", said_action: "unclear" } as const;
  say({ kind: "action_wrong", ...way, right_action: "move forward" });
  say({ kind: "action_wrong", ...way, from_frame: 10, frame: 30, right_action: "rotate left" });
  say({ kind: "note", frame: 30, note: "blurred" });
  say({ kind: "note", frame: 55, note: "dark" });
  const taken = { ...take(0, 10, 20, 30), actions: [{ frame: 20, action: "move left" as const }] };
  expect(say(taken, "Bo")).not.toBeNull();
  const { key_frames, in_force } = foldVersion(ground, history);
  expect(
    key_frames.map(({ frame, action, note }) => [frame, action?.action, action?.by.author, note?.text]),
  ).toEqual([
    [0, undefined, undefined, undefined],
    [10, "move forward", "Ana", undefined],
    [20, "move left", "Bo", undefined],
    [30, undefined, undefined, "blurred"],
  ]);
  expect(in_force.map(({ decision_id }) => decision_id)).toEqual(["d1", "d3"]);
  expect(say(taken)).toBeNull();
  expect(say({ ...taken, actions: [{ frame: 10, action: "move backward" }] })).not.toBeNull();
  expect(foldVersion(ground, history).key_frames[1]?.action).toMatchObject({ action: "move backward" });
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
