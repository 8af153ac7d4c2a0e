import { expect, test } from "vitest";
import { type Found, search } from "./search.ts";

function clip(label: string, words?: string): Found {
  return { key: label, group: "Clips", label, words, run: () => {} };
}

const labels = (entries: readonly Found[], query: string) => search(entries, query).map(({ label }) => label);

test("every word must be found, in any order and place", () => {
  const entries = [clip("kitchen walk.mp4", "indoor"), clip("kitchen sink.mp4"), clip("street.mp4")];
  expect(labels(entries, "walk kitchen")).toEqual(["kitchen walk.mp4"]);
  expect(labels(entries, "indoor")).toEqual(["kitchen walk.mp4"]);
  expect(labels(entries, "")).toHaveLength(3);
  expect(labels(entries, "boat")).toEqual([]);
});

test("names that begin with the query come first, then words that do", () => {
  const entries = [clip("upbalcony"), clip("the balcony"), clip("balcony (2).mp4")];
  expect(labels(entries, "balcony")).toEqual(["balcony (2).mp4", "the balcony", "upbalcony"]);
  expect(labels(entries, "(2)")).toEqual(["balcony (2).mp4"]);
});

test("a group shows a few", () => {
  expect(
    search(
      Array.from({ length: 5000 }, (_, index) => clip(`clip ${index}`)),
      "clip",
    ),
  ).toHaveLength(8);
});
