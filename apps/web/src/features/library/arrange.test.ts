import { makeClip } from "@sightline/core/testing";
import { expect, test } from "vitest";
import { type Arrangement, arrangeClips, countTags } from "./arrange.ts";

const plain: Arrangement = { q: "", tag: null, sort: "added", order: "desc" };

const clips = [
  makeClip({
    clip_id: "a",
    name: "kitchen 10.mp4",
    tags: ["indoor"],
    added_secs: 1,
    bytes: 30,
    duration_secs: null,
  }),
  makeClip({
    clip_id: "b",
    name: "Kitchen 9.mp4",
    added_secs: 3,
    bytes: 10,
    duration_secs: 4,
    codec: "hevc",
  }),
  makeClip({
    clip_id: "c",
    name: "street.mp4",
    tags: ["drone", "outdoor"],
    added_secs: 2,
    bytes: 20,
    duration_secs: 9,
  }),
];

const ids = (arrangement: Partial<Arrangement>) =>
  arrangeClips(clips, { ...plain, ...arrangement })
    .map(({ clip_id }) => clip_id)
    .join("");

test("the newest come first unless asked otherwise", () => {
  expect(ids({})).toBe("bca");
  expect(ids({ order: "asc" })).toBe("acb");
});

test("names sort as people count, whatever their case", () => {
  expect(ids({ sort: "name", order: "asc" })).toBe("bac");
});

test("an unknown duration is shorter than any", () => {
  expect(ids({ sort: "duration" })).toBe("cba");
  expect(ids({ sort: "size" })).toBe("acb");
});

test("every word is looked for in name, tags, codec and state", () => {
  expect(ids({ q: "KITCHEN 9" })).toBe("b");
  expect(ids({ q: "drone" })).toBe("c");
  expect(ids({ q: "hevc kit" })).toBe("b");
  expect(ids({ q: "boat" })).toBe("");
  expect(ids({ tag: "indoor" })).toBe("a");
});

test("tags are counted, the most used first", () => {
  const more = [...clips, makeClip({ clip_id: "d", tags: ["outdoor"] })];
  expect(countTags(more)).toEqual([
    { tag: "outdoor", count: 2 },
    { tag: "drone", count: 1 },
    { tag: "indoor", count: 1 },
  ]);
});
