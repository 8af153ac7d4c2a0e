import { describe, expect, test } from "vitest";
import { type BatchClip, listFailures, tellPace, writeFailuresCsv } from "./index.ts";

describe("pace", () => {
  const finished = (count: number, each_secs: number, duration_secs: number) =>
    Array.from({ length: count }, (_, k) => ({ ended_secs: 1000 + each_secs * (k + 1), duration_secs }));

  test("says nothing of two clips, or of an instant", () => {
    const left = { clips: 5, known_secs: 50, unknown: 0 };
    expect(tellPace(finished(2, 10, 8), left, 1000, 1020)).toBeNull();
    expect(tellPace(finished(9, 0.1, 8), left, 1000, 1001)).toBeNull();
  });

  test("longer clips take longer, by what was just done", () => {
    const done = finished(6, 10, 8);
    const pace = tellPace(done, { clips: 6, known_secs: 48, unknown: 0 }, 1000, 1060);
    expect(pace?.clips_per_minute).toBeCloseTo(6);
    expect(pace?.left_secs).toBeCloseTo(60);
    const longer = tellPace(done, { clips: 6, known_secs: 108, unknown: 0 }, 1000, 1060);
    expect(longer?.left_secs).toBeCloseTo(120);
  });

  test("a clip that nobody has read counts as an average one", () => {
    const pace = tellPace(finished(6, 10, 8), { clips: 12, known_secs: 48, unknown: 6 }, 1000, 1060);
    expect(pace?.left_secs).toBeCloseTo(120);
  });

  test("goes by the last clips, and slows down while nothing ends", () => {
    const slow = finished(40, 10, 8);
    const fast = slow.map((one, k) => (k < 10 ? one : { ...one, ended_secs: 1100 + (k - 9) }));
    const left = { clips: 30, known_secs: 240, unknown: 0 };
    expect(tellPace(fast, left, 1000, 1130)?.left_secs).toBeCloseTo(30);
    expect(tellPace(fast, left, 1000, 1160)?.left_secs).toBeCloseTo(60);
  });
});

test("the report names every clip that failed, safely for a spreadsheet", () => {
  const clip: BatchClip = {
    batch_id: "b",
    place: 0,
    name: "a.mp4",
    path: null,
    clip_id: null,
    state: "failed",
    problem: 'The file is "empty", or so.',
    advice: "Copy it again.",
    kept: null,
    sampled: null,
    duration_secs: null,
    ended_secs: 1,
    revision: 1,
  };
  const failures = listFailures([clip, { ...clip, state: "done" }, { ...clip, name: "=cmd" }]);
  expect(failures.map(({ name }) => name)).toEqual(["a.mp4", "=cmd"]);
  expect(writeFailuresCsv(failures)).toBe(
    "name,clip_id,problem,advice\r\n" +
      'a.mp4,,"The file is ""empty"", or so.",Copy it again.\r\n' +
      '\'=cmd,,"The file is ""empty"", or so.",Copy it again.\r\n',
  );
});
