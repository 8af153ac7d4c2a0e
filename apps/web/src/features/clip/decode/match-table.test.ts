import type { SampleTable } from "@sightline/core/clips";
import { expect, test } from "vitest";
import { findOrdinal, matchTable } from "./match-table.ts";

function table(time_secs: number[], first_time_secs = 0): SampleTable {
  return { clip_id: "c".repeat(64), time_secs, first_time_secs };
}

test("B41: packets in decoding order match the table in presentation order", () => {
  const match = matchTable([0, 0.4, 0.067, 0.033, 0.433], table([0, 0.033, 0.067, 0.4, 0.433]));
  expect(match).toEqual({ matches: true, container_secs: [0, 0.033, 0.067, 0.4, 0.433] });
  expect(findOrdinal([0, 0.033, 0.067, 0.4, 0.433], 0.4)).toBe(3);
});

test("B42: packets before the edit list's start are not frames", () => {
  const match = matchTable([-0.08, -0.04, 0, 0.04, 0.08], table([0, 0.04, 0.08]));
  expect(match).toEqual({ matches: true, container_secs: [0, 0.04, 0.08] });
});

test("B42: a clip that starts at a negative time keeps its container times", () => {
  const match = matchTable([-0.013, 0.02, 0.053], table([0, 0.033, 0.066], -0.013));
  expect(match).toEqual({ matches: true, container_secs: [-0.013, 0.02, 0.053] });
});

test("equal counts match under a constant shift between the readers", () => {
  const match = matchTable([0.1, 0.14, 0.18], table([0, 0.04, 0.08], 0));
  expect(match).toMatchObject({ matches: true });
});

test("more packets than frames under a shift is no match, for the pairing would be a guess", () => {
  const match = matchTable([0.02, 0.06, 0.1, 0.14], table([0, 0.04, 0.08], 0));
  expect(match).toMatchObject({ matches: false });
});

test("a frame that the server lost leaves the others where they are", () => {
  const match = matchTable([0, 0.04, 0.08, 0.12], table([0, 0.04, 0.12]));
  expect(match).toEqual({ matches: true, container_secs: [0, 0.04, 0.12] });
});

test("fewer packets than frames is no match, and says both counts", () => {
  const match = matchTable([0, 0.04], table([0, 0.04, 0.08]));
  expect(match).toEqual({ matches: false, reason: "the browser reads 2 frames, the server 3" });
});

test("frames a fraction of a millisecond apart keep their own times", () => {
  const times = [0, 0.0001, 0.0002, 0.01];
  expect(matchTable([-0.5, ...times], table(times))).toEqual({ matches: true, container_secs: times });
  expect(times.map((secs) => findOrdinal(times, secs))).toEqual([0, 1, 2, 3]);
});

test("a time between frames belongs to none", () => {
  expect(findOrdinal([0, 0.04, 0.08], 0.06)).toBeNull();
  expect(findOrdinal([0, 0.04, 0.08], 0.2)).toBeNull();
  expect(findOrdinal([], 0)).toBeNull();
});
