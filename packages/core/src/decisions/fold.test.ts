import { describe, expect, test } from "vitest";
import { makeRandom } from "../testing/big-run.ts";
import { checkDecided } from "./check.ts";
import { countCorrections } from "./describe.ts";
import { foldVersion } from "./fold.ts";
import { findRedo, findUndo } from "./history.ts";
import { beginHistory, layGround } from "./testing.ts";
import type { Decided, Decision, SelectionVersion } from "./types.ts";

const KEPT = [0, 15, 30, 55];
const ground = layGround(KEPT);
const framesOf = (version: SelectionVersion) => version.key_frames.map(({ frame }) => frame);
const wrong = (
  frame: number,
  from_frame: number,
  right_action: "rotate left" | null = "rotate left",
): Decided => ({
  kind: "action_wrong",
  frame,
  from_frame,
  said_by: "geometry",
  said_action: "move forward",
  right_action,
});

/** What is shown of a version: everything but which one it is. */
const toPicture = ({ version: _, ...rest }: SelectionVersion) => rest;

describe("a version", () => {
  test("0 is the extractor's own selection, and nobody's", () => {
    const version = foldVersion(ground, []);
    expect(framesOf(version)).toEqual(KEPT);
    expect(version.version).toBe(0);
    expect(version.left_out).toEqual([]);
    for (const frame of version.key_frames) {
      expect(frame).toMatchObject({
        origin: "extractor",
        by: null,
        action: null,
        note: null,
        shifted_from: null,
      });
      expect(frame.time_secs).toBe(frame.frame / 10);
    }
  });

  test("says of each key-frame who put it there, and of each left-out one who took it away", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 15 });
    append({ kind: "add", frame: 22 }, "Ben");
    append({ kind: "shift", frame: 30, to_frame: 37 });
    append({ kind: "keep", frame: 55 }, "Ben");
    const version = foldVersion(ground, history);
    expect(framesOf(version)).toEqual([0, 22, 37, 55]);
    expect(version.key_frames).toMatchObject([
      { frame: 0, origin: "extractor", by: null },
      { frame: 22, time_secs: 2.2, origin: "person", shifted_from: null, by: { author: "Ben" } },
      { frame: 37, origin: "person", shifted_from: 30, by: { author: "Ana", decision_id: "d3" } },
      { frame: 55, origin: "extractor", by: { author: "Ben" } },
    ]);
    expect(version.left_out).toMatchObject([
      { frame: 15, shifted_to: null, by: { author: "Ana", decision_id: "d1" } },
      { frame: 30, shifted_to: 37 },
    ]);
    expect(countCorrections(version)).toEqual({
      corrections: 3,
      confirmations: 1,
      notes: 0,
      authors: ["Ana", "Ben"],
    });
  });

  test("an earlier one stays what it was, whatever is said later", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 15 });
    const then = foldVersion(ground, history, 1);
    append({ kind: "undo", undoes: "d1" });
    append({ kind: "drop", frame: 30 });
    append({ kind: "return", to_version: 0 });
    expect(foldVersion(ground, history, 1)).toEqual(then);
    expect(foldVersion(ground, history, 0)).toEqual(foldVersion(ground, []));
  });

  test.each([-1, 1, 0.5, Number.NaN])("%s, which there is none of, is refused", (version) => {
    expect(() => foldVersion(ground, [], version)).toThrow(RangeError);
  });

  test("of a clip without frames is empty", () => {
    expect(foldVersion(layGround([], 0), []).key_frames).toEqual([]);
  });
});

describe("a shift", () => {
  test("of a shifted key-frame remembers where it began, and home again it is the extractor's", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "shift", frame: 15, to_frame: 16 });
    append({ kind: "shift", frame: 16, to_frame: 20 });
    const away = foldVersion(ground, history);
    expect(away.key_frames[1]).toMatchObject({ frame: 20, origin: "person", shifted_from: 15 });
    expect(away.left_out).toMatchObject([{ frame: 15, shifted_to: 20 }]);
    append({ kind: "shift", frame: 20, to_frame: 15 });
    const home = foldVersion(ground, history);
    expect(home.key_frames[1]).toMatchObject({ frame: 15, origin: "extractor", shifted_from: null });
    expect(home.left_out).toEqual([]);
  });

  test("takes the note along; a drop after it leaves the first place dropped", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "note", frame: 15, note: "blurred" });
    append({ kind: "shift", frame: 15, to_frame: 17 });
    expect(foldVersion(ground, history).key_frames[1]).toMatchObject({
      frame: 17,
      note: { text: "blurred" },
    });
    append({ kind: "drop", frame: 17 });
    expect(foldVersion(ground, history).left_out).toMatchObject([{ frame: 15, shifted_to: null }]);
  });
});

describe("a person's action", () => {
  test("stands at its key-frame: right as it was said, or wrong with what is right", () => {
    const { history, append } = beginHistory(ground);
    append({
      kind: "action_right",
      frame: 15,
      from_frame: 0,
      said_by: "geometry",
      said_action: "move up" as never,
    });
    append(wrong(30, 15));
    append(wrong(55, 30, null));
    expect(foldVersion(ground, history).key_frames.map(({ action }) => action)).toMatchObject([
      null,
      { verdict: "right", action: "move up", said_by: "geometry" },
      { verdict: "wrong", action: "rotate left", said_action: "move forward", from_frame: 15 },
      { verdict: "wrong", action: null },
    ]);
  });

  test("is of one way only: it goes when the way begins elsewhere, and comes back with it", () => {
    const { history, append } = beginHistory(ground);
    append(wrong(30, 15));
    append({ kind: "drop", frame: 15 });
    expect(foldVersion(ground, history).key_frames[1]).toMatchObject({ frame: 30, action: null });
    append({ kind: "add", frame: 15 });
    expect(foldVersion(ground, history).key_frames[2]).toMatchObject({
      frame: 30,
      action: { action: "rotate left" },
    });
    expect(foldVersion(ground, history).misfits).toEqual([]);
  });

  test("the last word holds", () => {
    const { history, append } = beginHistory(ground);
    append(wrong(15, 0));
    append({
      kind: "action_right",
      frame: 15,
      from_frame: 0,
      said_by: "geometry",
      said_action: "move forward",
    });
    expect(foldVersion(ground, history).key_frames[1]?.action).toMatchObject({ verdict: "right" });
    append({ kind: "undo", undoes: "d2" });
    expect(foldVersion(ground, history).key_frames[1]?.action).toMatchObject({ verdict: "wrong" });
  });
});

test("a note is replaced by the next one and taken away by an empty one", () => {
  const { history, append } = beginHistory(ground);
  append({ kind: "note", frame: 15, note: "one" });
  append({ kind: "note", frame: 15, note: "two" });
  expect(foldVersion(ground, history).key_frames[1]?.note).toMatchObject({
    text: "two",
    by: { decision_id: "d2" },
  });
  append({ kind: "note", frame: 15, note: "" });
  expect(foldVersion(ground, history).key_frames[1]?.note).toBeNull();
});

describe("what doesn't fit", () => {
  test.each<[Decided, RegExp]>([
    [{ kind: "add", frame: 60 }, /no frame 60: this clip has the frames 0 to 59/],
    [{ kind: "add", frame: -1 }, /no frame -1/],
    [{ kind: "add", frame: 1.5 }, /no frame 1.5/],
    [{ kind: "add", frame: 15 }, /a key-frame already/],
    [{ kind: "drop", frame: 20 }, /Frame 20 is not a key-frame/],
    [{ kind: "keep", frame: 20 }, /not a key-frame/],
    [{ kind: "shift", frame: 20, to_frame: 21 }, /not a key-frame/],
    [{ kind: "shift", frame: 15, to_frame: 30 }, /Frame 30 is a key-frame already/],
    [{ kind: "shift", frame: 15, to_frame: 15 }, /a key-frame already/],
    [{ kind: "shift", frame: 15, to_frame: 99 }, /no frame 99/],
    [{ kind: "note", frame: 20, note: "x" }, /not a key-frame/],
    [wrong(0, 0), /first key-frame/],
    [wrong(30, 0), /now begins at frame 15/],
    [{ kind: "undo", undoes: "nothing" }, /not in this selection's history/],
    [{ kind: "redo", undoes: "nothing" }, /not in this selection's history/],
    [{ kind: "return", to_version: 7 }, /no version 7/],
    [{ kind: "return", to_version: 0 }, /the newest one/],
  ])("%o is refused with the reason", (decided, reason) => {
    const check = checkDecided(ground, [], decided);
    expect(check).toMatchObject({ outcome: "refused", reason: expect.stringMatching(reason) });
  });

  test("the last key-frame can't be dropped", () => {
    const one = layGround([15]);
    expect(checkDecided(one, [], { kind: "drop", frame: 15 })).toMatchObject({
      reason: expect.stringContaining("at least one"),
    });
  });

  test("and is in a history all the same changes nothing and is told", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 20 });
    append({ kind: "undo", undoes: "never" });
    append({ kind: "redo", undoes: "never" });
    append({ kind: "return", to_version: 99 });
    const version = foldVersion(ground, history);
    expect(framesOf(version)).toEqual(KEPT);
    expect(version.misfits.map(({ decision_id }) => decision_id)).toEqual(["d1"]);
  });
});

describe("the same again is no second decision", () => {
  test.each<Decided>([
    { kind: "keep", frame: 15 },
    { kind: "drop", frame: 15 },
    { kind: "add", frame: 20 },
    { kind: "shift", frame: 15, to_frame: 20 },
    { kind: "note", frame: 15, note: "x" },
    wrong(15, 0),
    { kind: "action_right", frame: 15, from_frame: 0, said_by: "geometry", said_action: "tilt upward" },
  ])("%o", (decided) => {
    const { history, append } = beginHistory(ground);
    append(decided);
    expect(checkDecided(ground, history, decided)).toEqual({ outcome: "already", decision_id: "d1" });
    append({ kind: "undo", undoes: "d1" });
    expect(checkDecided(ground, history, { kind: "undo", undoes: "d1" })).toEqual({
      outcome: "already",
      decision_id: "d2",
    });
    append({ kind: "redo", undoes: "d2" });
    expect(checkDecided(ground, history, { kind: "redo", undoes: "d2" })).toEqual({
      outcome: "already",
      decision_id: "d3",
    });
    append({ kind: "return", to_version: 0 });
    expect(checkDecided(ground, history, { kind: "return", to_version: 0 })).toEqual({
      outcome: "already",
      decision_id: "d4",
    });
  });
});

describe("undo and redo", () => {
  test("go back and forth without limit, and every step is an entry", () => {
    const { history, append } = beginHistory(ground);
    for (const frame of [15, 30]) append({ kind: "drop", frame });
    for (let round = 0; round < 20; round += 1) {
      for (const frames of [[0, 30, 55], KEPT]) {
        const undo = findUndo(history);
        append({ kind: "undo", undoes: undo?.decision_id ?? "" });
        expect(framesOf(foldVersion(ground, history))).toEqual(frames.length === 3 ? [0, 30, 55] : KEPT);
      }
      expect(findUndo(history)).toBeNull();
      for (const frames of [
        [0, 30, 55],
        [0, 55],
      ]) {
        append({ kind: "redo", undoes: findRedo(history)?.decision_id ?? "" });
        expect(framesOf(foldVersion(ground, history))).toEqual(frames);
      }
      expect(findRedo(history)).toBeNull();
    }
    expect(history).toHaveLength(2 + 20 * 4);
    expect(foldVersion(ground, history).misfits).toEqual([]);
  });

  test("there is nothing to bring back once something new was said", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 15 });
    append({ kind: "undo", undoes: "d1" });
    expect(findRedo(history)?.decision_id).toBe("d2");
    append({ kind: "drop", frame: 30 });
    expect(findRedo(history)).toBeNull();
  });

  test("an earlier decision is taken back on its own, unless a later one rests on it", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "add", frame: 20 });
    append({ kind: "drop", frame: 30 });
    append({ kind: "shift", frame: 20, to_frame: 22 }, "Ben");
    expect(checkDecided(ground, history, { kind: "undo", undoes: "d2" })).toEqual({ outcome: "new" });
    expect(checkDecided(ground, history, { kind: "undo", undoes: "d1" })).toMatchObject({
      reason: expect.stringContaining("Ben shifted key-frame 20 to frame 22"),
    });
    expect(checkDecided(ground, history, { kind: "undo", undoes: "d3" })).toEqual({ outcome: "new" });
  });

  test("what no longer fits can't be brought back", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "add", frame: 20 });
    append({ kind: "undo", undoes: "d1" });
    append({ kind: "add", frame: 20 }, "Ben");
    expect(checkDecided(ground, history, { kind: "redo", undoes: "d2" })).toMatchObject({
      outcome: "refused",
    });
  });
});

describe("a return", () => {
  test("goes on from the version as it was, and is itself taken back and brought back", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 15 });
    append({ kind: "drop", frame: 30 });
    append({ kind: "return", to_version: 1 });
    const picture = (version: number) => toPicture(foldVersion(ground, history, version));
    expect(picture(3)).toEqual(picture(1));
    append({ kind: "undo", undoes: "d3" });
    expect(picture(4)).toEqual(picture(2));
    append({ kind: "redo", undoes: "d4" });
    expect(picture(5)).toEqual(picture(1));
    append({ kind: "add", frame: 41 });
    expect(framesOf(foldVersion(ground, history))).toEqual([0, 30, 41, 55]);
    append({ kind: "return", to_version: 2 });
    expect(picture(7)).toEqual(picture(2));
  });

  test("to the extractor's own leaves no corrections, and what lies before it is taken back after it only", () => {
    const { history, append } = beginHistory(ground);
    append({ kind: "drop", frame: 15 });
    append({ kind: "return", to_version: 0 });
    expect(countCorrections(foldVersion(ground, history)).corrections).toBe(0);
    expect(checkDecided(ground, history, { kind: "undo", undoes: "d1" })).toMatchObject({
      reason: expect.stringContaining("returned to version 0"),
    });
    expect(findUndo(history)?.decision_id).toBe("d2");
  });
});

function inventDecided(random: () => number, history: readonly Decision[]): Decided {
  const frame = Math.floor(random() * 62) - 1;
  const some = history[Math.floor(random() * history.length)];
  const undoes = some?.decision_id ?? "d0";
  switch (Math.floor(random() * 10)) {
    case 0:
      return { kind: "keep", frame };
    case 1:
    case 2:
      return { kind: "drop", frame: KEPT[Math.floor(random() * KEPT.length)] ?? frame };
    case 3:
      return { kind: "add", frame };
    case 4:
      return { kind: "shift", frame: KEPT[Math.floor(random() * KEPT.length)] ?? 0, to_frame: frame };
    case 5:
      return wrong(15 + 15 * Math.floor(random() * 2), random() < 0.5 ? 0 : 15);
    case 6:
      return { kind: "note", frame, note: random() < 0.3 ? "" : "a note" };
    case 7:
      if (random() < 0.2) {
        const frames = ground.time_secs.length;
        const some = Array.from({ length: frames }, (_, one) => one).filter(() => random() < 0.1);
        return { kind: "import", frames: some, source: "frames.csv" };
      }
      return { kind: "undo", undoes };
    case 8:
      return { kind: "redo", undoes };
    default:
      return { kind: "return", to_version: Math.floor(random() * (history.length + 2)) };
  }
}

describe("whatever is said, in whatever order", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))("history %i keeps the promises", (seed) => {
    const random = makeRandom(seed);
    const { history, say } = beginHistory(ground);
    const pictures: string[] = [JSON.stringify(toPicture(foldVersion(ground, history)))];
    for (let i = 0; i < 120; i += 1) {
      const decided = inventDecided(random, history);
      const before = JSON.stringify(foldVersion(ground, history));
      const said = say(decided);
      if (said === null) {
        expect(JSON.stringify(foldVersion(ground, history))).toBe(before);
        continue;
      }
      const version = foldVersion(ground, history);
      // Key-frames are in the clip, in order, each once, and never none.
      const frames = framesOf(version);
      expect(frames).toEqual([...new Set(frames)].sort((a, b) => a - b));
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.every((frame) => frame >= 0 && frame < 60)).toBe(true);
      // What was let in fits, and goes on to fit.
      expect(version.misfits).toEqual([]);
      // The extractor's frames are all there: kept, or left out with the one who did it.
      const away = version.left_out.map(({ frame }) => frame);
      expect([...frames, ...away].filter((frame) => KEPT.includes(frame)).sort((a, b) => a - b)).toEqual(
        KEPT,
      );
      for (const one of version.key_frames) {
        expect(one.origin).toBe(KEPT.includes(one.frame) ? "extractor" : "person");
        if (one.origin === "person") expect(one.by).not.toBeNull();
      }
      if (said.kind === "return") expect(JSON.stringify(toPicture(version))).toBe(pictures[said.to_version]);
      pictures.push(JSON.stringify(toPicture(version)));
    }
    // History is never rewritten: every version still looks as it did when it was the newest.
    for (const [version, picture] of pictures.entries()) {
      expect(JSON.stringify(toPicture(foldVersion(ground, history, version)))).toBe(picture);
    }
    // Taking all back, step by step, leads to the extractor's own, and bringing all back leads here again.
    const last = pictures.at(-1);
    let undos = 0;
    for (let undo = findUndo(history); undo !== null; undo = findUndo(history)) {
      expect(say({ kind: "undo", undoes: undo.decision_id })).not.toBeNull();
      undos += 1;
    }
    expect(JSON.stringify(toPicture(foldVersion(ground, history)))).toBe(pictures[0]);
    for (; undos > 0; undos -= 1) {
      expect(say({ kind: "redo", undoes: findRedo(history)?.decision_id ?? "" })).not.toBeNull();
    }
    expect(JSON.stringify(toPicture(foldVersion(ground, history)))).toBe(last);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    "history %i of things that don't fit never throws",
    (seed) => {
      const random = makeRandom(1000 + seed);
      const { history, append } = beginHistory(ground);
      for (let i = 0; i < 80; i += 1) append(inventDecided(random, history));
      for (let version = 0; version <= history.length; version += 1) {
        const { key_frames, in_force, misfits } = foldVersion(ground, history, version);
        expect(key_frames.length).toBeGreaterThan(0);
        expect(new Set([...in_force, ...misfits]).size).toBe(in_force.length + misfits.length);
      }
    },
  );
});
