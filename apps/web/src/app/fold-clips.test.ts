import { makeClip } from "@sightline/core/testing";
import { expect, test } from "vitest";
import { foldClips } from "./fold-clips.ts";

const [a, b] = [makeClip({ clip_id: "a" }), makeClip({ clip_id: "b" })];
const ids = (clips: readonly { clip_id: string }[]) => clips.map(({ clip_id }) => clip_id).join("");

test("a changed clip stays at its place, a new one comes last", () => {
  const renamed = { ...a, name: "new.mp4" };
  const folded = foldClips([a, b], [makeClip({ clip_id: "c" }), renamed], false);
  expect(ids(folded)).toBe("abc");
  expect(folded[0]?.name).toBe("new.mp4");
});

test("a trashed clip leaves the library for the trash and comes back", () => {
  const trashed = { ...a, trashed_secs: 5 };
  expect(ids(foldClips([a, b], [trashed], false))).toBe("b");
  expect(ids(foldClips([], [trashed], true))).toBe("a");
  expect(ids(foldClips([trashed], [a], true))).toBe("");
});

test("what concerns another list changes nothing", () => {
  const clips = [a];
  expect(foldClips(clips, [{ ...b, trashed_secs: 5 }], false)).toBe(clips);
});

test("of two changes of one clip the later counts", () => {
  const folded = foldClips(
    [a],
    [
      { ...a, name: "1" },
      { ...a, name: "2" },
    ],
    false,
  );
  expect(folded.map(({ name }) => name)).toEqual(["2"]);
});
