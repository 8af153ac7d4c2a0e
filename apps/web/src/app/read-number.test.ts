import { expect, test } from "vitest";
import { readNumber } from "./read-number.ts";

test("text with zeros at its end is a number; what is half typed is none", () => {
  expect([0.8, "0.80", "1.", "", " ", "-", "abc"].map(readNumber)).toEqual([
    0.8,
    0.8,
    1,
    null,
    null,
    null,
    null,
  ]);
});
