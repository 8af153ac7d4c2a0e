import { describe, expect, test } from "vitest";
import { ACTIONS, type Action, createRandom, type Random } from "../worlds/index.ts";
import { estimateMotion } from "./estimate.ts";
import type { PointPair } from "./types.ts";

const SIZE = { width: 640, height: 480 };
const FOV_DEG = 75;

type Move = { yaw?: number; pitch?: number; roll?: number; right?: number; up?: number; ahead?: number };
type Scene = { count?: number; outliers?: number; noise_px?: number; fov_deg?: number; plane?: number };

/** Points of a room, as a camera sees them before and after a move; degrees, and metres in a room of 3 to 12 metres. */
function see(random: Random, move: Move, scene: Scene = {}): PointPair[] {
  const { count = 120, outliers = 0.3, noise_px = 0.5, fov_deg = FOV_DEG, plane } = scene;
  const focal = SIZE.width / 2 / Math.tan((fov_deg * Math.PI) / 360);
  const [yaw, pitch, roll] = [move.yaw ?? 0, move.pitch ?? 0, move.roll ?? 0].map(
    (deg) => (deg * Math.PI) / 180,
  );
  const noise = () => noise_px * 1.7 * (random.next() + random.next() + random.next() - 1.5);
  const anywhere = (): [number, number] => [random.next() * SIZE.width, random.next() * SIZE.height];
  const pairs: PointPair[] = [];
  while (pairs.length < count) {
    const from = anywhere();
    if (random.next() < outliers) {
      pairs.push({ from, to: anywhere() });
      continue;
    }
    const depth = plane ?? 3 + 9 * random.next();
    let x = ((from[0] - SIZE.width / 2) / focal) * depth - (move.right ?? 0);
    let y = ((from[1] - SIZE.height / 2) / focal) * depth + (move.up ?? 0);
    let z = depth - (move.ahead ?? 0);
    [x, z] = turn(x, z, yaw as number);
    [y, z] = turn(y, z, -(pitch as number));
    [x, y] = turn(x, y, -(roll as number));
    const to: [number, number] = [
      (x / z) * focal + SIZE.width / 2 + noise(),
      (y / z) * focal + SIZE.height / 2 + noise(),
    ];
    if (z > 0.1 && to[0] > 0 && to[0] < SIZE.width && to[1] > 0 && to[1] < SIZE.height)
      pairs.push({ from: [from[0] + noise(), from[1] + noise()], to });
  }
  return pairs;
}

function turn(a: number, b: number, angle: number): [number, number] {
  return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
}

const MOVES: Record<Action, Move> = {
  "move forward": { ahead: 0.8 },
  "move backward": { ahead: -0.8 },
  "move left": { right: -0.7 },
  "move right": { right: 0.7 },
  "move upward": { up: 0.7 },
  "move downward": { up: -0.7 },
  "rotate left": { yaw: -25 },
  "rotate right": { yaw: 25 },
  "tilt upward": { pitch: 15 },
  "tilt downward": { pitch: -15 },
};

describe("one word for a camera's motion", () => {
  test.each(ACTIONS)("%s, with noise and a third of the matches wrong", (action) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const move = MOVES[action];
      const motion = estimateMotion(see(createRandom(`${action} ${seed}`), move), SIZE, FOV_DEG);
      expect(motion).toMatchObject({ action, matches: 120 });
      expect(motion.confidence).toBeGreaterThan(0.9);
      expect(Math.abs((motion.yaw_deg ?? 99) - (move.yaw ?? 0))).toBeLessThan(0.5);
      expect(Math.abs((motion.pitch_deg ?? 99) - (move.pitch ?? 0))).toBeLessThan(0.5);
    }
  });

  test("a quarter turn in steps adds up, though two of three matches are wrong", () => {
    let sum = 0;
    for (let step = 0; step < 3; step += 1) {
      const pairs = see(createRandom(`step ${step}`), { yaw: -30 }, { outliers: 0.66, count: 150 });
      sum += estimateMotion(pairs, SIZE, FOV_DEG).yaw_deg ?? 99;
    }
    expect(Math.abs(sum + 90)).toBeLessThan(1);
  });

  test("a move along a bare wall is no turn", () => {
    for (const [action, move] of [
      ["move left", { right: -0.6 }],
      ["move upward", { up: 0.6 }],
    ] as const) {
      const pairs = see(createRandom(action), move, { plane: 5, outliers: 0.2 });
      expect(estimateMotion(pairs, SIZE, FOV_DEG).action).toBe(action);
    }
  });

  test("a move and a turn at once: the stronger one where there is one, else unclear; the turn is known", () => {
    const turned = estimateMotion(see(createRandom("a"), { yaw: 20, ahead: 0.5 }), SIZE, FOV_DEG);
    expect(turned.action).toBe("rotate right");
    expect(turned.yaw_deg).toBeCloseTo(20, 0);
    const both = estimateMotion(see(createRandom("b"), { yaw: 6, ahead: 0.8 }), SIZE, FOV_DEG);
    expect(both).toMatchObject({ action: "unclear", confidence: null });
    expect(both.reason).toMatch(/^Between .*(rotate right by 6°|move forward)/);
    expect(both.yaw_deg).toBeCloseTo(6, 0);
  });
});

describe("unclear, and why", () => {
  const explain = (pairs: PointPair[], fov: number | null = FOV_DEG) => {
    const motion = estimateMotion(pairs, SIZE, fov);
    expect(motion).toMatchObject({ action: "unclear", confidence: null });
    return motion.reason;
  };
  const spread = (map: (x: number, y: number) => [number, number]): PointPair[] => {
    const random = createRandom("spread");
    return Array.from({ length: 80 }, () => {
      const from: [number, number] = [random.next() * SIZE.width, random.next() * SIZE.height];
      return { from, to: map(...from) };
    });
  };

  test("nothing in common, or hardly anything", () => {
    expect(explain([])).toBe("The two pictures have nothing in common.");
    expect(explain([{ from: [1, 2], to: [3, 4] }])).toBe("The two pictures have only 1 match.");
  });

  test("a still picture", () => {
    expect(explain(spread((x, y) => [x, y]))).toMatch(/^Nothing moved/);
    expect(explain(see(createRandom("still"), {}, { outliers: 0.2 }))).toMatch(/^Nothing moved/);
  });

  test("matches strewn at random", () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const pairs = see(createRandom(`strewn ${seed}`), {}, { outliers: 1 });
      expect(explain(pairs)).toMatch(/^Only \d+ of 120 matches agree/);
    }
  });

  test("no numbers among the pairs", () => {
    const bad: PointPair = { from: [Number.NaN, 1], to: [2, Number.POSITIVE_INFINITY] };
    expect(explain(Array.from({ length: 50 }, () => bad))).toBe("The two pictures have nothing in common.");
    const motion = estimateMotion([...see(createRandom("nan"), { yaw: 20 }), bad], SIZE, FOV_DEG);
    expect(motion).toMatchObject({ action: "rotate right", matches: 120 });
  });

  test("all points alike, and all on one line", () => {
    expect(explain(Array.from({ length: 60 }, () => ({ from: [300, 200], to: [350, 200] })))).toMatch(
      /one spot|Only/,
    );
    expect(
      explain(spread((x) => [x + 30, 240]).map(({ from, to }) => ({ from: [from[0], 240], to }))),
    ).toMatch(/one spot|one line|Only/);
  });

  test("a mirrored and a folded view", () => {
    explain(spread((x, y) => [SIZE.width - x, y]));
    explain(spread((x, y) => [x, SIZE.height - y]));
    explain(spread((x, y) => [x < 320 ? x : 640 - x, y]));
  });

  test("a rolling picture has no word, and its roll is told", () => {
    const motion = estimateMotion(see(createRandom("roll"), { roll: 12 }), SIZE, FOV_DEG);
    expect(motion.action).toBe("unclear");
    expect(motion.reason).toMatch(/^The picture rolls by 12°/);
    expect(motion.roll_deg).toBeCloseTo(12, 0);
  });

  test("a small turn that a move would explain as well", () => {
    const pairs = see(createRandom("narrow"), { yaw: 1.5 }, { fov_deg: 8, outliers: 0.1 });
    expect(explain(pairs, 8)).toMatch(/the pictures fit both/);
  });
});

test("a pure zoom is never called a turn", () => {
  for (const zoom of [1.1, 1.3, 0.85]) {
    const random = createRandom(`zoom ${zoom}`);
    const pairs = Array.from({ length: 100 }, (): PointPair => {
      const from: [number, number] = [40 + random.next() * 560, 40 + random.next() * 400];
      return { from, to: [320 + (from[0] - 320) * zoom, 240 + (from[1] - 240) * zoom] };
    });
    expect(estimateMotion(pairs, SIZE, FOV_DEG).action).toBe(zoom > 1 ? "move forward" : "move backward");
  }
});

test("without a field of view the stated default holds", () => {
  const pairs = see(createRandom("default"), { yaw: 20 });
  expect(estimateMotion(pairs, SIZE, null)).toEqual(estimateMotion(pairs, SIZE, 75));
});

test("a caption that stands still in a turning picture does not stop it; a moving thing in a still one does not start it", () => {
  const still = (left: number, top: number, width: number, height: number, count: number): PointPair[] => {
    const random = createRandom(`${left} ${count}`);
    return Array.from({ length: count }, () => {
      const at: [number, number] = [left + width * random.next(), top + height * random.next()];
      return { from: at, to: at };
    });
  };
  const caption = still(40, 420, 400, 30, 90);
  const turning = see(createRandom("turning"), { yaw: -12 }, { count: 60 });
  expect(estimateMotion([...caption, ...turning], SIZE, FOV_DEG).action).toBe("rotate left");
  const thing = still(280, 200, 90, 120, 40).map(
    ({ from }): PointPair => ({ from, to: [from[0] + 25, from[1]] }),
  );
  expect(estimateMotion([...still(0, 0, 640, 480, 90), ...thing], SIZE, FOV_DEG).reason).toMatch(
    /^Nothing moved/,
  );
});
