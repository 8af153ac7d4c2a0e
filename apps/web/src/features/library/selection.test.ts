import { expect, test } from "vitest";
import { extend, getTargets, keepOnly, move, nothing, type Selection, toggle } from "./selection.ts";

const ids = ["a", "b", "c", "d", "e", "f", "g"];
const at = (cursor: string): Selection => ({ ...nothing, cursor, anchor: cursor });

test("clips are added to the selection and taken out", () => {
  const one = toggle(nothing, "b");
  expect([...one.selected]).toEqual(["b"]);
  expect([...toggle(one, "b").selected]).toEqual([]);
});

test("a stretch runs both ways and adds to what is selected", () => {
  expect([...extend(toggle(nothing, "d"), ids, "b").selected].sort()).toEqual(["b", "c", "d"]);
  expect([...extend(toggle(nothing, "a"), ids, "c").selected].sort()).toEqual(["a", "b", "c"]);
});

test("a second stretch starts where the first did", () => {
  const first = extend(toggle(nothing, "c"), ids, "e");
  expect([...extend(first, ids, "a").selected].sort()).toEqual(["a", "b", "c", "d", "e"]);
});

test("the cursor starts at an end and stops at the ends", () => {
  expect(move(nothing, ids, 1).cursor).toBe("a");
  expect(move(nothing, ids, -1).cursor).toBe("g");
  expect(move(at("g"), ids, 1).cursor).toBe("g");
  expect(move(at("a"), ids, -1).cursor).toBe("a");
  expect(move(nothing, [], 1)).toBe(nothing);
});

test("up and down go by rows; a shorter last row is reached at its end", () => {
  expect(move(at("a"), ids, 3).cursor).toBe("d");
  expect(move(at("f"), ids, 3).cursor).toBe("g");
  expect(move(at("g"), ids, 3).cursor).toBe("g");
  expect(move(at("b"), ids, -3).cursor).toBe("b");
});

test("what is not shown is not selected", () => {
  const selection = extend(toggle(nothing, "a"), ids, "c");
  expect([...keepOnly(selection, ["b", "c"]).selected]).toEqual(["b", "c"]);
  expect(keepOnly(selection, ids)).toBe(selection);
  expect(keepOnly(at("a"), ["b"]).cursor).toBe(null);
});

test("commands act on the selection, else on the cursor", () => {
  expect(getTargets(at("c"))).toEqual(["c"]);
  expect(getTargets({ ...toggle(nothing, "a"), cursor: "c" })).toEqual(["a"]);
  expect(getTargets(nothing)).toEqual([]);
});
