import { expect, test } from "vitest";
import { planStretches, readFrames } from "./read-frames.ts";
import { scan } from "./scan.ts";
import { countTo, getFixture, WHOLE } from "./testing/fixtures.ts";

test("a jump is planned only where it saves decoding", () => {
  const keys = [0, 100, 200, 300];
  expect(planStretches([0, 5, 250, 299], keys)).toEqual([
    { start: 0, targets: [0, 5] },
    { start: 200, targets: [250, 299] },
  ]);
  expect(planStretches([95, 101], keys)).toEqual([{ start: 0, targets: [95, 101] }]);
  expect(planStretches([7, 3, 7], keys)).toEqual([{ start: 0, targets: [3, 7] }]);
  expect(planStretches([150], [])).toEqual([{ start: 0, targets: [150] }]);
  expect(planStretches([], keys)).toEqual([]);
});

test.each([...WHOLE, { name: "damaged.mp4" }, { name: "truncated.mp4" }])(
  "$name: frames read by jumping and skipping are those of a full decode, bit for bit and in order",
  async ({ name }) => {
    const file = getFixture(name);
    const { index } = await scan(file, { interval_secs: 1 });
    const count = index.time_secs.length;
    const whole = new Map([...readFrames(file, index, countTo(count))].map((frame) => [frame.frame, frame]));
    expect(whole.size).toBe(count);
    for (const step of [1, 3, 13, 29]) {
      for (const from of [0, step - 1]) {
        const asked = countTo(count).filter((ordinal) => ordinal >= from && (ordinal - from) % step === 0);
        const read = [...readFrames(file, index, [...asked].reverse())];
        expect(read.map(({ frame }) => frame)).toEqual(asked);
        for (const frame of read) {
          expect(Buffer.from(frame.data).equals(Buffer.from(whole.get(frame.frame)?.data ?? []))).toBe(true);
          expect(frame.time_secs).toBe(index.time_secs[frame.frame]);
        }
      }
    }
  },
);

test("ordinals outside the clip are left out, and a reader may stop early", async () => {
  const file = getFixture("b-frames.mp4");
  const { index } = await scan(file, { interval_secs: 1 });
  expect([...readFrames(file, index, [-1, 50, 1e9])]).toEqual([]);
  expect([...readFrames(file, index, [-1, 49, 50])].map(({ frame }) => frame)).toEqual([49]);
  for (let k = 0; k < 20; k++) {
    for (const { frame } of readFrames(file, index, [3, 30, 44])) if (frame === 30) break;
  }
});

test("planes own their memory, and BGR comes when asked for", async () => {
  const file = getFixture("cfr-30.mp4");
  const { index } = await scan(file, { interval_secs: 1 });
  const [plain] = readFrames(file, index, [10]);
  expect(plain?.bgr).toBeNull();
  expect(plain?.data.buffer.byteLength).toBe(320 * 240);
  const [coloured] = readFrames(file, index, [10], { bgr: true });
  expect(coloured?.bgr?.buffer.byteLength).toBe(320 * 240 * 3);
  const moved = structuredClone(plain?.data, { transfer: plain ? [plain.data.buffer] : [] });
  expect(moved?.length).toBe(320 * 240);
  // The strip's first cell is white, the second black, over the colours of the scene.
  const at = (x: number) => [...(coloured?.bgr?.subarray((10 * 320 + x) * 3, (10 * 320 + x) * 3 + 3) ?? [])];
  expect(Math.min(...at(10))).toBeGreaterThan(180);
  expect(Math.max(...at(30))).toBeLessThan(70);
});
