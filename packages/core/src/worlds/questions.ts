import { followPath, toHeading, wrapDegrees } from "./path.ts";
import { createRandom, type Random } from "./random.ts";
import { getBearing, getDistance, getSightings } from "./truth.ts";
import {
  HEADINGS,
  type Pose,
  type Step,
  TASKS,
  type Task,
  type World,
  type WorldObject,
  type WorldQuestion,
} from "./types.ts";

/** A question before its options are lettered: the right one is `options[gold]`. */
type Draft = { text: string; options: string[]; gold: number };

const LETTERS = "ABCDEFGH";
const SIDES = ["ahead", "right", "behind", "left"] as const;
/** Directions closer than this to the border between two options are not asked about. */
const MARGIN_DEG = 12;

const nameObject = (object: WorldObject) => `the ${object.colour} ${object.noun}`;

/** The quarter that a bearing lies in: 0 ahead, 1 right, 2 behind, 3 left; null too near a border. */
function getSide(bearing_deg: number): number | null {
  const turned = wrapDegrees(bearing_deg + 45);
  const into = turned % 90;
  if (into < MARGIN_DEG || into > 90 - MARGIN_DEG) return null;
  return Math.floor(turned / 90) % 4;
}

function lastPose(world: World): Pose {
  const pose = world.poses.at(-1);
  if (!pose) throw new RangeError(`${world.world_id} has no poses`);
  return pose;
}

function draftHeading(world: World): Draft {
  return {
    text: `The agent starts facing ${toHeading(world.poses[0]?.heading_deg ?? 0)}. Which way does it face at the end?`,
    options: [...HEADINGS],
    gold: HEADINGS.indexOf(toHeading(lastPose(world).heading_deg)),
  };
}

function draftLandmarkPosition(world: World, random: Random): Draft | null {
  const seen = new Set(
    world.poses.flatMap((pose) =>
      getSightings(world, pose)
        .filter((sighting) => sighting.visible)
        .map((sighting) => sighting.object_id),
    ),
  );
  for (const object of random.shuffle(world.objects)) {
    const side = getSide(getBearing(lastPose(world), object));
    if (side === null || !seen.has(object.object_id)) continue;
    return {
      text: `From where the agent is at the end, where is ${nameObject(object)}?`,
      options: [...SIDES],
      gold: side,
    };
  }
  return null;
}

function mirrorStep(step: Step): Step {
  const action = step.action === "rotate left" ? "rotate right" : "rotate left";
  return { ...step, action };
}

function draftCounterfactual(world: World, random: Random): Draft | null {
  const turns = world.steps.flatMap((step, index) =>
    step.action.startsWith("rotate") && step.amount === 90 ? [index] : [],
  );
  if (turns.length === 0) return null;
  const turn = random.pick(turns);
  const steps = world.steps.map((step, index) => (index === turn ? mirrorStep(step) : step));
  const end = followPath(world.poses[0] as Pose, steps).at(-1) as Pose;
  return {
    text: `The agent starts facing ${toHeading(world.poses[0]?.heading_deg ?? 0)}. Had it turned the other way at step ${turn + 1}, which way would it face at the end?`,
    options: [...HEADINGS],
    gold: HEADINGS.indexOf(toHeading(end.heading_deg)),
  };
}

const describeStep = (step: Step) =>
  step.action.startsWith("rotate") && step.amount === 180 ? "turn around" : step.action;

/** Asks how much of a longer route the path has covered; the route goes on with steps that the agent has not taken. */
function draftProgressEvaluation(world: World, random: Random): Draft | null {
  const total = world.steps.length;
  const extra = random.int(1, 3);
  const route = [
    ...world.steps.map(describeStep),
    ...Array.from({ length: extra }, () => random.pick(["move forward", "rotate left", "rotate right"])),
  ];
  const options = [total - 2, total - 1, total, total + 1].filter(
    (count) => count >= 1 && count <= route.length,
  );
  if (options.length < 3) return null;
  return {
    text: `The route is: ${route.map((step, index) => `${index + 1} ${step}`).join(", ")}. Which step has the agent just finished?`,
    options: options.map((count) => `step ${count}`),
    gold: options.indexOf(total),
  };
}

function draftActionGeneration(world: World, random: Random): Draft | null {
  for (const object of random.shuffle(world.objects)) {
    const side = getSide(getBearing(lastPose(world), object));
    if (side === null) continue;
    return {
      text: `To go to ${nameObject(object)}, what should the agent do next?`,
      options: ["move forward", "rotate right", "turn around", "rotate left"],
      gold: side,
    };
  }
  return null;
}

function draftRelativeDistance(world: World, random: Random): Draft | null {
  for (const anchor of random.shuffle(world.objects)) {
    const others = random.shuffle(world.objects.filter((object) => object !== anchor)).slice(0, 4);
    const ranked = [...others].sort((a, b) => getDistance(a, anchor) - getDistance(b, anchor));
    const [nearest, second] = ranked;
    if (!nearest || !second || getDistance(second, anchor) - getDistance(nearest, anchor) < 0.5) continue;
    return {
      text: `Which of these is nearest to ${nameObject(anchor)}?`,
      options: others.map(nameObject),
      gold: others.indexOf(nearest),
    };
  }
  return null;
}

/** A viewer at `from` who looks at `towards`. */
function standAt(from: WorldObject, towards: WorldObject): Pose {
  const heading_deg = (Math.atan2(towards.x - from.x, towards.y - from.y) * 180) / Math.PI;
  return { x: from.x, y: from.y, z: 0, heading_deg: wrapDegrees(heading_deg), pitch_deg: 0 };
}

function* triplets(world: World, random: Random): Generator<[WorldObject, WorldObject, WorldObject]> {
  for (const a of random.shuffle(world.objects))
    for (const b of random.shuffle(world.objects))
      for (const c of random.shuffle(world.objects)) if (a !== b && b !== c && a !== c) yield [a, b, c];
}

function draftRelativeDirection(world: World, random: Random): Draft | null {
  for (const [from, towards, target] of triplets(world, random)) {
    const side = getSide(getBearing(standAt(from, towards), target));
    if (side === null || side === 0) continue;
    return {
      text: `Standing at ${nameObject(from)} and facing ${nameObject(towards)}, where is ${nameObject(target)}?`,
      options: ["right", "behind", "left"],
      gold: side - 1,
    };
  }
  return null;
}

function draftRoutePlanning(world: World, random: Random): Draft | null {
  for (const [from, towards, target] of triplets(world, random)) {
    const arriving = { ...standAt(from, towards), x: towards.x, y: towards.y };
    const side = getSide(getBearing(arriving, target));
    if (side === null || side === 0) continue;
    return {
      text: `The agent stands at ${nameObject(from)} facing ${nameObject(towards)}. It walks to ${nameObject(towards)}, makes one turn, and walks on to ${nameObject(target)}. Which turn?`,
      options: ["rotate right", "turn around", "rotate left"],
      gold: side - 1,
    };
  }
  return null;
}

/** Objects by the pose at which they are first visible, those that come alone; the start shows many at once. */
function listFirstAppearances(world: World): WorldObject[] {
  const first = new Map<string, number>();
  world.poses.forEach((pose, index) => {
    for (const sighting of getSightings(world, pose))
      if (sighting.visible && !first.has(sighting.object_id)) first.set(sighting.object_id, index);
  });
  const alone = [...new Set(first.values())].sort((a, b) => a - b);
  return alone.flatMap((index) => {
    const object = world.objects.find((one) => first.get(one.object_id) === index);
    return object ? [object] : [];
  });
}

function draftAppearanceOrder(world: World, random: Random): Draft | null {
  const order = listFirstAppearances(world).slice(0, 3);
  const [a, b, c] = order;
  if (!a || !b || !c) return null;
  const say = (list: readonly WorldObject[]) => list.map(nameObject).join(", ");
  const wrong = [
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ];
  const options = random.shuffle([order, ...random.shuffle(wrong).slice(0, 3)]);
  return {
    text: "In which order does the agent first see these things?",
    options: options.map(say),
    gold: options.indexOf(order),
  };
}

const DRAFTS: Record<Task, (world: World, random: Random) => Draft | null> = {
  heading: draftHeading,
  landmark_position: draftLandmarkPosition,
  counterfactual: draftCounterfactual,
  progress_evaluation: draftProgressEvaluation,
  action_generation: draftActionGeneration,
  relative_distance: draftRelativeDistance,
  relative_direction: draftRelativeDirection,
  route_planning: draftRoutePlanning,
  appearance_order: draftAppearanceOrder,
};

/**
 * Asks one question about a world.
 *
 * @param level  1 only for `heading`; 2 keeps the options' natural order; 3 shuffles them.
 * @returns Null when the world offers no clear question of that task, for instance no object away from a border.
 * @throws RangeError for a level that the task does not have.
 */
export function askQuestion(world: World, task: Task, level: 1 | 2 | 3): WorldQuestion | null {
  if (level === 1 && task !== "heading") throw new RangeError(`level 1 asks only for headings, not ${task}`);
  const random = createRandom(`${world.world_id}/${task}/${level}`);
  const draft = DRAFTS[task](world, random);
  if (!draft) return null;
  const right = draft.options[draft.gold];
  const options = level === 3 ? random.shuffle(draft.options) : draft.options;
  return {
    question_id: `${world.world_id}/${task}/${level}`,
    world_id: world.world_id,
    task,
    level,
    text: draft.text,
    options,
    gold: LETTERS.charAt(options.indexOf(right ?? "")),
  };
}

/** Every clear question that a world offers at a level, in the order of {@link TASKS}. */
export function askAll(world: World, level: 2 | 3): WorldQuestion[] {
  return TASKS.flatMap((task) => askQuestion(world, task, level) ?? []);
}
