import { describe, expect, test } from "vitest";
import type { FrameFeatures, KeyFrameDecision } from "../keyframes/index.ts";
import { createRandom } from "../worlds/index.ts";
import { describeMotions } from "./describe.ts";
import { findFieldOfView } from "./field-of-view.ts";

const WIDTH = 640;
const HEIGHT = 480;

/** How a camera stands: degrees, metres; heading clockwise, pitch up. */
type Stance = { heading?: number; pitch?: number; x?: number; y?: number; z?: number };

type Thing = { at: readonly [number, number, number]; descriptor: Uint8Array };

/** Things all around the start, 3 to 12 metres away, each with a look of its own. */
function fillRoom(seed: string, count = 2500): Thing[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const angle = 2 * Math.PI * random.next();
    const distance = 3 + 9 * random.next();
    return {
      at: [Math.sin(angle) * distance, Math.cos(angle) * distance, (random.next() - 0.5) * 1.6 * distance],
      descriptor: Uint8Array.from({ length: 32 }, () => random.int(0, 255)),
    };
  });
}

/** What the extractor would find: half of what is in view, to half a pixel, and as much that is seen only once. */
function look(things: readonly Thing[], stances: readonly Stance[], fov_deg = 75): FrameFeatures[] {
  const focal = WIDTH / 2 / Math.tan((fov_deg * Math.PI) / 360);
  return stances.map((stance, frame) => {
    const random = createRandom(`look ${frame}`);
    const [heading, pitch] = [stance.heading ?? 0, stance.pitch ?? 0].map((deg) => (deg * Math.PI) / 180) as [
      number,
      number,
    ];
    const points: number[] = [];
    const descriptors: number[] = [];
    for (const { at, descriptor } of things) {
      const east = at[0] - (stance.x ?? 0);
      const north = at[1] - (stance.y ?? 0);
      const up = at[2] - (stance.z ?? 0);
      const right = east * Math.cos(heading) - north * Math.sin(heading);
      const level = east * Math.sin(heading) + north * Math.cos(heading);
      const depth = level * Math.cos(pitch) + up * Math.sin(pitch);
      const down = level * Math.sin(pitch) - up * Math.cos(pitch);
      const x = WIDTH / 2 + (focal * right) / depth + random.next() - 0.5;
      const y = HEIGHT / 2 + (focal * down) / depth + random.next() - 0.5;
      if (depth < 0.2 || x < 0 || y < 0 || x > WIDTH || y > HEIGHT || random.next() < 0.5) continue;
      points.push(x, y, WIDTH * random.next(), HEIGHT * random.next());
      descriptors.push(...descriptor, ...Array.from({ length: 32 }, () => random.int(0, 255)));
    }
    return {
      frame,
      time_secs: frame,
      width: WIDTH,
      height: HEIGHT,
      points: Float32Array.from(points),
      descriptors: Uint8Array.from(descriptors),
      noise: 0.05,
    };
  });
}

/** A selection that keeps some of the frames. */
const keep = (frames: readonly FrameFeatures[], kept: readonly number[]) => ({
  decisions: frames.map(
    ({ frame, time_secs }): KeyFrameDecision => ({
      frame,
      time_secs,
      kept: kept.includes(frame),
      rule: "low_overlap",
      overlap: null,
      evidence: null,
      features: 0,
    }),
  ),
});

const range = (count: number, at: (i: number) => Stance) => Array.from({ length: count }, (_, i) => at(i));

describe("motions of a selection", () => {
  const room = fillRoom("room");

  test("a spin past what two key-frames share adds up over the frames between", () => {
    const frames = look(
      room,
      range(9, (i) => ({ heading: 30 * i })),
    );
    const motions = describeMotions(keep(frames, [0, 3, 8]), frames, 75);
    expect(motions[0]).toBeNull();
    expect(motions.slice(1)).toMatchObject([{ action: "rotate right" }, { action: "rotate right" }]);
    expect(Math.abs((motions[1]?.yaw_deg ?? 0) - 90)).toBeLessThan(1);
    expect(Math.abs((motions[2]?.yaw_deg ?? 0) - 150)).toBeLessThan(1);
  });

  test("a turn there and back is none in sum", () => {
    const frames = look(room, [{}, { heading: -25 }, { heading: -50 }, { heading: -25 }, {}]);
    const [, motion] = describeMotions(keep(frames, [0, 4]), frames, 75);
    expect(motion).toMatchObject({ action: "unclear" });
    expect(Math.abs(motion?.yaw_deg ?? 99)).toBeLessThan(0.5);
  });

  test("whoever looks down turns about the vertical all the same, and walks along the floor", () => {
    const turning = look(
      room,
      range(4, (i) => ({ heading: -30 * i, pitch: -35 })),
    );
    const [, turned] = describeMotions(keep(turning, [0, 3]), turning, 75);
    expect(turned).toMatchObject({ action: "rotate left" });
    expect(Math.abs((turned?.yaw_deg ?? 0) + 90)).toBeLessThan(1.5);
    expect(Math.abs(turned?.pitch_deg ?? 99)).toBeLessThan(1.5);

    const rising = look(room, [
      { pitch: -35 },
      { pitch: -35, heading: 30 },
      { pitch: -35, heading: 60 },
      { pitch: -35, heading: 60, z: 0.7 },
    ]);
    expect(describeMotions(keep(rising, [0, 2, 3]), rising, 75)[2]).toMatchObject({ action: "move upward" });
  });

  test("a cut breaks the chain by name, and what follows is known again", () => {
    const other = fillRoom("another room");
    const before = look(room, [{}, { heading: 20 }]);
    const after = look(other, [{}, {}, {}, { heading: 20 }]).slice(2);
    const frames = [...before, ...after];
    const motions = describeMotions(keep(frames, [0, 1, 2, 3]), frames, 75);
    expect(motions.map((motion) => motion?.action ?? null)).toEqual([
      null,
      "rotate right",
      "unclear",
      "rotate right",
    ]);
    expect(motions[2]).toMatchObject({ yaw_deg: null, confidence: null });
    expect(motions[2]?.reason).toMatch(/agree on one motion|in common|match/);
  });

  test("frames without features, and a selection whose features are gone, are unclear with a reason", () => {
    const blank = look([], [{}, {}, {}]);
    const [first, second] = describeMotions(keep(blank, [0, 2]), blank, null);
    expect(first).toBeNull();
    expect(second).toMatchObject({ action: "unclear", reason: "The two pictures have nothing in common." });
    const [, gone] = describeMotions(keep(blank, [0, 2]), blank.slice(0, 1), null);
    expect(gone).toMatchObject({ action: "unclear", yaw_deg: null });
    expect(describeMotions({ decisions: [] }, [], null)).toEqual([]);
  });
});

describe("field of view", () => {
  const room = fillRoom("room");
  const turn = range(5, (i) => ({ heading: 15 * i }));

  test.each([50, 60, 75, 90, 100])("%s degrees, read from a turn", (fov_deg) => {
    const found = findFieldOfView(look(room, turn, fov_deg));
    expect(Math.abs((found ?? 0) - fov_deg)).toBeLessThan(2);
  });

  test("a clip that does not turn does not show it", () => {
    expect(
      findFieldOfView(
        look(
          room,
          range(5, (i) => ({ y: 0.4 * i })),
        ),
      ),
    ).toBeNull();
    expect(
      findFieldOfView(
        look(
          room,
          range(5, (i) => ({ x: 0.4 * i })),
        ),
      ),
    ).toBeNull();
    expect(findFieldOfView([])).toBeNull();
  });

  test("turns are true to it where nobody said it", () => {
    const frames = look(room, turn, 55);
    const [, motion] = describeMotions(keep(frames, [0, 4]), frames, null);
    expect(Math.abs((motion?.yaw_deg ?? 0) - 60)).toBeLessThan(2.5);
  });
});
