import { expect, test } from "vitest";
import { readReleased } from "./embodied-r.ts";

test("a text made to be searched again and again is told in time that grows with its length", () => {
  const hostile = `<think>${"</think><answer></answer>".repeat(400_000)}`;
  expect(readReleased(`${hostile}x`).format).toBe(0);
  expect(readReleased(hostile).format).toBe(1);
  expect(readReleased(`<think>${"a ".repeat(2_000_000)}b`)).toMatchObject({ format: 0, letter: "B" });
});

test("one closing tag can't serve twice", () => {
  expect(readReleased("<think></think><answer></answer>").format).toBe(1);
  expect(readReleased("<think></answer>").format).toBe(0);
  expect(readReleased("<think></think></answer>").format).toBe(0);
});
