import { describe, expect, it } from "vitest";
import {
  ACTIONS,
  applyMove,
  applyStep,
  askAll,
  askQuestion,
  describeWorld,
  formatTinyChain,
  formatTinyPrompt,
  generateWorld,
  getSightings,
  HEADINGS,
  type Heading,
  type Pose,
  SETTINGS,
  TASKS,
  toHeading,
  toMoves,
  type World,
  type WorldObject,
  type WorldQuestion,
} from "./index.ts";

const FREE = { min_steps: 4, max_steps: 8, moves: "free" } as const;
const QUARTER = { min_steps: 2, max_steps: 4, moves: "quarter" } as const;
const worlds = SETTINGS.flatMap((setting) =>
  Array.from({ length: 60 }, (_, seed) => generateWorld(seed, setting, FREE)),
);

const chosen = (question: WorldQuestion) => question.options["ABCDEFGH".indexOf(question.gold)] ?? "";
const findObject = (world: World, phrase: string): WorldObject => {
  const found = world.objects.find((object) => phrase.includes(`${object.colour} ${object.noun}`));
  if (!found) throw new Error(`no object in "${phrase}"`);
  return found;
};

/** Independent of the generator: the target in the viewer's own axes, by rotating the plan instead of taking angles. */
function locate(
  viewer: { x: number; y: number },
  ahead: { x: number; y: number },
  target: { x: number; y: number },
) {
  const length = Math.hypot(ahead.x, ahead.y);
  const [ux, uy] = [ahead.x / length, ahead.y / length];
  const [dx, dy] = [target.x - viewer.x, target.y - viewer.y];
  const forward = dx * ux + dy * uy;
  const right = dx * uy - dy * ux;
  if (Math.abs(forward) > Math.abs(right)) return forward > 0 ? "ahead" : "behind";
  return right > 0 ? "right" : "left";
}
const facing = (pose: Pose) => {
  const east = [0, 1, 0, -1];
  const quarter = pose.heading_deg / 90;
  if (Number.isInteger(quarter)) return { x: east[quarter % 4] ?? 0, y: east[(quarter + 1) % 4] ?? 0 };
  return { x: Math.sin((pose.heading_deg * Math.PI) / 180), y: Math.cos((pose.heading_deg * Math.PI) / 180) };
};
const turnCount = (world: World) =>
  world.steps.reduce(
    (sum, step) =>
      sum + (step.action === "rotate right" ? step.amount : step.action === "rotate left" ? -step.amount : 0),
    0,
  );

describe("generateWorld", () => {
  it("gives the same bytes for the same seed and others for another", () => {
    const [first, again, other] = [1, 1, 2].map((seed) => JSON.stringify(generateWorld(seed, "room", FREE)));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it("keeps the agent on the floor and out of objects", () => {
    for (const world of worlds)
      for (const pose of world.poses) {
        expect(Math.max(Math.abs(pose.x), Math.abs(pose.y))).toBeLessThan(world.half_size);
        for (const object of world.objects)
          expect(Math.hypot(pose.x - object.x, pose.y - object.y)).toBeGreaterThan(object.width / 2);
      }
  });

  it("uses all ten actions", () => {
    const used = new Set(worlds.flatMap((world) => world.steps.map((step) => step.action)));
    expect([...used].sort()).toEqual([...ACTIONS].sort());
  });

  it("names each object of a world once", () => {
    for (const world of worlds)
      expect(new Set(world.objects.map((object) => `${object.colour} ${object.noun}`)).size).toBe(
        world.objects.length,
      );
  });
});

describe("applyStep", () => {
  it("undoes itself with the opposite action", () => {
    const opposites = { forward: "backward", left: "right", upward: "downward" } as const;
    const start: Pose = { x: 1, y: -2, z: 1.4, heading_deg: 30, pitch_deg: 5 };
    for (const [one, other] of Object.entries(opposites)) {
      const there = applyStep(start, { action: `move ${one}` as "move left", amount: 1.5 });
      const back = applyStep(there, { action: `move ${other}` as "move right", amount: 1.5 });
      expect(back.x).toBeCloseTo(start.x, 12);
      expect(back.y).toBeCloseTo(start.y, 12);
      expect(back.z).toBeCloseTo(start.z, 12);
    }
  });
});

describe("getSightings", () => {
  it("sees only what is in front, by the sign of the projection on the view", () => {
    for (const world of worlds)
      for (const pose of world.poses)
        for (const sighting of getSightings(world, pose)) {
          if (!sighting.visible) continue;
          const object = world.objects.find((one) => one.object_id === sighting.object_id);
          const ahead = facing(pose);
          expect(
            ((object?.x ?? 0) - pose.x) * ahead.x + ((object?.y ?? 0) - pose.y) * ahead.y,
          ).toBeGreaterThan(0);
        }
  });
});

describe("askQuestion: every gold answer holds against an independent derivation", () => {
  const questions = worlds.flatMap((world) =>
    ([2, 3] as const).flatMap((level) => askAll(world, level).map((question) => ({ world, question }))),
  );
  const ofTask = (task: string) => questions.filter(({ question }) => question.task === task);

  it("offers every task often enough", () => {
    for (const task of TASKS) expect(ofTask(task).length, task).toBeGreaterThan(30);
  });

  it("has one gold among distinct options", () => {
    for (const { question } of questions) {
      expect(chosen(question)).not.toBe("");
      expect(new Set(question.options).size).toBe(question.options.length);
    }
  });

  it("heading", () => {
    for (const { world, question } of ofTask("heading")) {
      const end = ((((world.poses[0]?.heading_deg ?? 0) + turnCount(world)) % 360) + 360) % 360;
      const away = Math.abs(((end - HEADINGS.indexOf(chosen(question) as Heading) * 90 + 540) % 360) - 180);
      expect(away).toBeLessThanOrEqual(45);
    }
  });

  it("counterfactual", () => {
    for (const { world, question } of ofTask("counterfactual")) {
      const step = world.steps[Number(/step (\d+)/.exec(question.text)?.[1]) - 1];
      const swing = step?.action === "rotate right" ? -180 : 180;
      const end = ((((world.poses[0]?.heading_deg ?? 0) + turnCount(world) + swing) % 360) + 360) % 360;
      const away = Math.abs(((end - HEADINGS.indexOf(chosen(question) as Heading) * 90 + 540) % 360) - 180);
      expect(away).toBeLessThanOrEqual(45);
    }
  });

  it("landmark position and action generation", () => {
    const toAction = {
      ahead: "move forward",
      right: "rotate right",
      behind: "turn around",
      left: "rotate left",
    };
    for (const { world, question } of [...ofTask("landmark_position"), ...ofTask("action_generation")]) {
      const pose = world.poses.at(-1) as Pose;
      const side = locate(pose, facing(pose), findObject(world, question.text));
      expect(chosen(question)).toBe(question.task === "landmark_position" ? side : toAction[side]);
    }
  });

  it("relative direction and route planning", () => {
    const toTurn = { ahead: "", right: "rotate right", behind: "turn around", left: "rotate left" };
    for (const { world, question } of [...ofTask("relative_direction"), ...ofTask("route_planning")]) {
      const isRoute = question.task === "route_planning";
      const pattern = isRoute
        ? /stands at (.*) facing (.*)\. It walks.*walks on to (.*)\. Which/
        : /Standing at (.*) and facing (.*), where is (.*)\?/;
      const [, a = "", b = "", c = ""] = pattern.exec(question.text) ?? [];
      const [from, towards, target] = [a, b, c].map((phrase) => findObject(world, phrase));
      if (!from || !towards || !target) throw new Error(question.text);
      const ahead = { x: towards.x - from.x, y: towards.y - from.y };
      const side = locate(isRoute ? towards : from, ahead, target);
      expect(chosen(question)).toBe(isRoute ? toTurn[side] : side);
    }
  });

  it("relative distance", () => {
    for (const { world, question } of ofTask("relative_distance")) {
      const anchor = findObject(world, question.text);
      const squared = question.options.map((option) => {
        const object = findObject(world, option);
        return (object.x - anchor.x) ** 2 + (object.y - anchor.y) ** 2;
      });
      expect(question.options[squared.indexOf(Math.min(...squared))]).toBe(chosen(question));
    }
  });

  it("appearance order", () => {
    for (const { world, question } of ofTask("appearance_order")) {
      const firstSeen = chosen(question)
        .split(", ")
        .map((phrase) => {
          const { object_id } = findObject(world, phrase);
          return world.poses.findIndex((pose) =>
            getSightings(world, pose).some(
              (sighting) => sighting.object_id === object_id && sighting.visible,
            ),
          );
        });
      expect(firstSeen[0]).toBeLessThan(firstSeen[1] ?? -1);
      expect(firstSeen[1]).toBeLessThan(firstSeen[2] ?? -1);
    }
  });

  it("progress evaluation", () => {
    for (const { world, question } of ofTask("progress_evaluation"))
      expect(chosen(question)).toBe(`step ${world.poses.length - 1}`);
  });

  it("refuses a level that the task lacks", () => {
    expect(() => askQuestion(worlds[0] as World, "appearance_order", 1)).toThrow(RangeError);
  });
});

describe("toMoves", () => {
  it("keeps the heading of every quarter-turn path", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const world = generateWorld(seed, "street", QUARTER);
      const start = toHeading(world.poses[0]?.heading_deg ?? 0);
      const end = toMoves(world.steps).reduce(applyMove, start);
      expect(end).toBe(toHeading(world.poses.at(-1)?.heading_deg ?? 0));
    }
  });

  it("adds up a slow turn and drops a small one", () => {
    const turn = (amount: number) => ({ action: "rotate left" as const, amount });
    expect(toMoves([turn(30), turn(32), turn(27), { action: "move backward", amount: 1 }, turn(20)])).toEqual(
      ["left", "forward"],
    );
  });

  it("writes prompt and chain in the tiny policy's words", () => {
    expect(formatTinyPrompt("north", ["left", "around"])).toBe("start north 1 left 2 around heading ?");
    expect(formatTinyChain("north", ["left", "around"])).toBe("1 left west 2 around east");
  });
});

describe("describeWorld", () => {
  it("names in `change` exactly what enters, and in `relevant` only visible objects of the question", () => {
    for (const world of worlds.slice(0, 40)) {
      const ids = world.objects.slice(0, 2).map((object) => object.object_id);
      const triples = describeWorld(world, ids);
      expect(triples).toHaveLength(world.poses.length);
      triples.forEach((triple, index) => {
        const sightings = getSightings(world, world.poses[index] as Pose);
        for (const object of world.objects) {
          const isSeen = sightings.find((one) => one.object_id === object.object_id)?.visible === true;
          const isNamed = triple.relevant.includes(`${object.colour} ${object.noun}`);
          expect(isNamed).toBe(isSeen && ids.includes(object.object_id));
        }
      });
    }
  });
});
