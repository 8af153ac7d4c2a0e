import { expect, test } from "vitest";
import { type DecodeNeeds, type DecodePass, getNeedlessness, goOn, planDecode } from "./plan.ts";

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

/** A decoder that costs one tick per picture, with a cache that forgets the farthest. */
function createDecoder({
  capacity,
  gop,
  knows_keys,
}: {
  capacity: number;
  gop: number;
  knows_keys: boolean;
}) {
  const held = new Set<number>();
  const keys = Array.from({ length: Math.ceil(1000 / gop) }, (_, i) => i * gop);
  let pass: DecodePass | null = null;
  let decoded = 0;

  function tick(focus: number, direction: 1 | -1): boolean {
    const keyOf = (frame: number) => (knows_keys ? frame - (frame % gop) : frame);
    const plan = planDecode(needs(held, { focus, direction, capacity, keyOf }));
    if (plan === null) return false;
    const begun = { from: plan.from, to: plan.to, next: keyOf(plan.from) };
    pass = (pass && goOn(pass, plan, focus, knows_keys ? keys : null)) ?? begun;
    if (pass.next >= pass.from && pass.next < 1000) held.add(pass.next);
    while (held.size > capacity) {
      const needless = (frame: number) => getNeedlessness(frame, focus, direction);
      held.delete([...held].reduce((a, b) => (needless(a) > needless(b) ? a : b)));
    }
    pass = { ...pass, next: pass.next + 1 };
    decoded += 1;
    return true;
  }

  return {
    /** Ticks until the frame is held. */
    reach(focus: number, direction: 1 | -1): number {
      let ticks = 0;
      while (!held.has(focus)) {
        if (!tick(focus, direction) || ticks > 5000) throw new Error(`never reaches ${focus}`);
        ticks += 1;
      }
      return ticks;
    },
    tick,
    rest(focus: number, direction: 1 | -1): void {
      for (let i = 0; tick(focus, direction); i += 1) if (i > 5000) throw new Error("never rests");
    },
    decoded: () => decoded,
  };
}

test.each([
  { capacity: 100, gop: 50, knows_keys: true },
  { capacity: 100, gop: 250, knows_keys: true },
  { capacity: 20, gop: 1000, knows_keys: true },
  { capacity: 100, gop: 50, knows_keys: false },
])("every frame is reached and decoding comes to rest: %o", (kind) => {
  const decoder = createDecoder(kind);
  for (const frame of [0, 1, 2, 500, 499, 498, 30, 999, 998, 0, 700, 720, 719]) {
    decoder.reach(frame, 1);
    decoder.reach(frame, -1);
  }
  decoder.rest(719, 1);
  decoder.rest(719, -1);
});

test("stepping forwards decodes each frame once and never waits", () => {
  const decoder = createDecoder({ capacity: 100, gop: 50, knows_keys: true });
  decoder.rest(0, 1);
  for (let frame = 1; frame < 1000; frame += 1) {
    expect(decoder.reach(frame, 1)).toBe(0);
    decoder.tick(frame, 1);
  }
  expect(decoder.decoded()).toBeLessThan(1100);
});

test("stepping backwards never waits while decoding is five times as fast as the hand", () => {
  const decoder = createDecoder({ capacity: 100, gop: 50, knows_keys: true });
  decoder.reach(999, -1);
  decoder.rest(999, -1);
  for (let frame = 998; frame >= 0; frame -= 1) {
    expect(decoder.reach(frame, -1)).toBe(0);
    for (let i = 0; i < 5; i += 1) decoder.tick(frame, -1);
  }
});
