import { expect, test } from "vitest";
import { type DecodeNeeds, planDecode } from "./plan.ts";

function needs(held: Iterable<number>, rest: Partial<DecodeNeeds> = {}): DecodeNeeds {
  const frames = new Set(held);
  return {
    focus: 100,
    direction: 1,
    frame_count: 1000,
    capacity: 100,
    has: (frame) => frames.has(frame),
    keyOf: (frame) => frame - (frame % 50),
    ...rest,
  };
}

function* range(from: number, to: number): Generator<number> {
  for (let frame = from; frame <= to; frame += 1) yield frame;
}

test("the frame under the eye comes first", () => {
  expect(planDecode(needs([101, 102]))).toEqual({ from: 100, to: 160, urgent: true });
});

test("going backwards, the frame under the eye brings those before it from its key", () => {
  expect(planDecode(needs([], { focus: 130, direction: -1 }))).toEqual({ from: 100, to: 130, urgent: true });
});

test("forwards, decoding goes on at the first frame that is missing", () => {
  expect(planDecode(needs(range(100, 120)))).toEqual({ from: 121, to: 160, urgent: false });
});

test("with all ahead at hand, the frames behind are filled from their key", () => {
  expect(planDecode(needs(range(100, 160)))).toEqual({ from: 75, to: 99, urgent: false });
});

test("backwards, a stretch is refilled only once much of it is gone", () => {
  const reach = 60;
  const far = needs(range(100 - reach + 10, 130), { direction: -1 });
  expect(planDecode(far)).toBeNull();
  const near = needs(range(80, 130), { direction: -1 });
  expect(planDecode(near)).toEqual({ from: 50, to: 79, urgent: false });
});

test("at the ends of the clip nothing beyond is planned", () => {
  expect(planDecode(needs(range(0, 999), { focus: 999 }))).toBeNull();
  expect(planDecode(needs([999], { focus: 999 }))).toEqual({ from: 974, to: 998, urgent: false });
  expect(planDecode(needs([0], { focus: 0, direction: -1 }))).toEqual({ from: 1, to: 25, urgent: false });
});

test("what is held at the same time never exceeds the capacity", () => {
  for (const direction of [1, -1] as const) {
    const held = new Set<number>();
    for (let round = 0; round < 400; round += 1) {
      const plan = planDecode(needs(held, { direction }));
      if (!plan) break;
      for (const frame of range(plan.from, plan.to)) held.add(frame);
    }
    expect(held.size).toBeLessThanOrEqual(100);
    expect(held.has(100)).toBe(true);
  }
});
