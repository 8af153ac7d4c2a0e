import { arrangeWorld, generateWorldAround } from "./generate.ts";
import type { Action, Colour, Setting, Shape, World, WorldObject } from "./types.ts";

/** A path in short: `["rotate right", 90]`, degrees for turns and tilts, metres for moves. */
type Path = readonly (readonly [Action, number])[];

const SAMPLES: readonly { name: string; seed: number; setting: Setting; path: Path }[] = [
  {
    name: "turns",
    seed: 4,
    setting: "room",
    path: [
      ["rotate right", 90],
      ["rotate right", 90],
      ["rotate left", 90],
    ],
  },
  {
    name: "there-and-back",
    seed: 1,
    setting: "street",
    path: [
      ["move forward", 2.5],
      ["move backward", 3.5],
    ],
  },
  {
    name: "sideways",
    seed: 2,
    setting: "room",
    path: [
      ["move left", 1.6],
      ["move right", 3.2],
    ],
  },
  {
    name: "up-and-down",
    seed: 1,
    setting: "courtyard",
    path: [
      ["move upward", 0.8],
      ["tilt downward", 25],
      ["tilt upward", 25],
      ["move downward", 0.8],
    ],
  },
  {
    name: "round-the-corner",
    seed: 3,
    setting: "street",
    path: [
      ["move forward", 2],
      ["rotate left", 90],
      ["move forward", 2],
      ["rotate left", 90],
      ["move forward", 1.5],
    ],
  },
];

type Placed = {
  noun: string;
  colour: Colour;
  shape: Shape;
  /** Clockwise from north, seen from the start, in degrees; and metres from there. */
  bearing_deg: number;
  distance: number;
  size: readonly [width: number, depth: number, height: number];
};

/**
 * Four kinds of object that the small detector of the embedded perceiver knows, and one that it does not. The agent looks
 * about and ends as it began, so that this clip asks no heading question.
 */
const CROSSING: { objects: readonly Placed[]; path: Path } = {
  objects: [
    {
      noun: "ball",
      colour: "yellow",
      shape: "sphere",
      bearing_deg: -52,
      distance: 2.9,
      size: [0.6, 0.6, 0.6],
    },
    {
      noun: "stop sign",
      colour: "red",
      shape: "sign",
      bearing_deg: -19,
      distance: 3,
      size: [0.9, 0.12, 2.1],
    },
    { noun: "kiosk", colour: "blue", shape: "box", bearing_deg: 3, distance: 5.4, size: [1.6, 1.4, 2.4] },
    {
      noun: "clock",
      colour: "white",
      shape: "clock",
      bearing_deg: 24,
      distance: 3.4,
      size: [0.8, 0.12, 2.2],
    },
    {
      noun: "traffic light",
      colour: "black",
      shape: "lights",
      bearing_deg: 52,
      distance: 3.2,
      size: [0.36, 0.12, 2],
    },
  ],
  path: [
    ["rotate right", 40],
    ["rotate left", 80],
    ["rotate right", 40],
    ["tilt downward", 15],
    ["tilt upward", 15],
  ],
};

function place({ bearing_deg, distance, size, ...look }: Placed, index: number): WorldObject {
  const bearing = (bearing_deg * Math.PI) / 180;
  const [width, depth, height] = size;
  return {
    object_id: `o${index}`,
    ...look,
    x: distance * Math.sin(bearing),
    y: distance * Math.cos(bearing),
    z: 0,
    width,
    depth,
    height,
  };
}

const toSteps = (path: Path) => path.map(([action, amount]) => ({ action, amount }));

/** The worlds of the sample project: between them all ten actions. */
export function listSampleWorlds(): World[] {
  return [
    ...SAMPLES.map(({ name, seed, setting, path }) =>
      generateWorldAround(name, seed, setting, toSteps(path)),
    ),
    arrangeWorld("crossing", 1, "street", CROSSING.objects.map(place), toSteps(CROSSING.path)),
  ];
}
