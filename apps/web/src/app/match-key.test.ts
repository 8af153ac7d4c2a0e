import { expect, test } from "vitest";
import { type KeyPress, matchesKey } from "./match-key.ts";

function press(key: string, modifiers: Partial<KeyPress> = {}): KeyPress {
  return { key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers };
}

test.each<[string, KeyPress, boolean]>([
  ["k", press("k"), true],
  ["k", press("K", { shiftKey: true }), false],
  ["shift+K", press("K", { shiftKey: true }), true],
  ["mod+Z", press("z", { ctrlKey: true }), true],
  ["mod+Z", press("z", { metaKey: true }), true],
  ["mod+Z", press("z"), false],
  ["z", press("z", { ctrlKey: true }), false],
  ["mod+shift+Z", press("Z", { ctrlKey: true, shiftKey: true }), true],
  ["?", press("?", { shiftKey: true }), true],
  ["+", press("+", { shiftKey: true }), true],
  ["/", press("/", { shiftKey: true }), true],
  ["/", press("/"), true],
  [",", press(","), true],
  ["Space", press(" "), true],
  ["ArrowLeft", press("ArrowLeft"), true],
  ["ArrowLeft", press("ArrowLeft", { shiftKey: true }), false],
  ["Delete", press("Delete"), true],
])("%s matches %o: %s", (combination, pressed, isMatch) => {
  expect(matchesKey(combination, pressed)).toBe(isMatch);
});
