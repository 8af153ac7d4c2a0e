import { expect, test } from "vitest";
import { openCursor } from "./cursor.ts";
import { copyLuma } from "./luma.ts";
import { readFrames } from "./read-frames.ts";
import { scan } from "./scan.ts";
import { countTo, getFixture } from "./testing/fixtures.ts";

test.each(["b-frames.mp4", "hevc.mp4", "gif.gif", "damaged.mp4", "transport-stream.ts"])(
  "a cursor on %s gives any frame in any order, as a full decode does",
  async (name) => {
    const file = getFixture(name);
    const { index } = await scan(file, { interval_secs: 1 });
    const count = index.time_secs.length;
    const whole = [...readFrames(file, index, countTo(count))].map(({ data }) => Buffer.from(data));
    const cursor = openCursor(file, index);
    const walk = [0, 1, 2, 5, 4, 3, count - 1, count - 2, 0, 0, 3, count - 1].filter(
      (ordinal) => ordinal < count,
    );
    for (const ordinal of walk) {
      const luma = cursor.read(ordinal, (frame) => Buffer.from(copyLuma(frame)));
      expect(luma?.equals(whole[ordinal] ?? Buffer.alloc(0))).toBe(true);
    }
    expect(cursor.read(count, () => 1)).toBeNull();
    expect(cursor.read(-1, () => 1)).toBeNull();
    cursor.close();
    expect(cursor.read(1, () => 1)).toBe(1);
    cursor.close();
  },
);
