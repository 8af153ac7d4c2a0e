/** The action vocabulary of Embodied-R (released prompts): what the agent did between two key-frames. */
export const ACTIONS = [
  "move forward",
  "move backward",
  "move left",
  "move right",
  "move upward",
  "move downward",
  "rotate left",
  "rotate right",
  "tilt upward",
  "tilt downward",
] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * Where the agent stands. Plan coordinates in metres: x east, y north, z up.
 * `heading_deg` is clockwise from north, in [0, 360); `pitch_deg` is up from the horizon, in [-90, 90].
 */
export type Pose = { x: number; y: number; z: number; heading_deg: number; pitch_deg: number };

export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "white", "black"] as const;
export type Colour = (typeof COLOURS)[number];

/** How an object is drawn. A (stop) sign, a clock and traffic lights are boards on a pole that always face south. */
export type Shape = "box" | "cylinder" | "sphere" | "sign" | "clock" | "lights";

/** One thing in a world. `(x, y, z)` is the centre of its base, sizes in metres. */
export type WorldObject = {
  object_id: string;
  /** What a person calls it, for instance "chair"; unique within a world together with the colour. */
  noun: string;
  colour: Colour;
  shape: Shape;
  x: number;
  y: number;
  z: number;
  width: number;
  depth: number;
  height: number;
};

/** Kinds of world. `courtyard` is held out of training sets, for out-of-distribution tests. */
export const SETTINGS = ["room", "street", "courtyard"] as const;
export type Setting = (typeof SETTINGS)[number];

/** One move of the agent: metres for moves, degrees for rotations and tilts; always positive. */
export type Step = { action: Action; amount: number };

/** A seeded scene with an agent's path through it. */
export type World = {
  world_id: string;
  seed: number;
  setting: Setting;
  /** Half the side of the square floor, in metres; the floor's centre is the origin. */
  half_size: number;
  /** Horizontal field of view of the agent's camera, in degrees. */
  field_of_view_deg: number;
  objects: WorldObject[];
  steps: Step[];
  /** `poses[0]` is the start; `poses[i + 1]` follows `steps[i]`. */
  poses: Pose[];
};

/** What is true of one object from one pose. */
export type Sighting = {
  object_id: string;
  /** Clockwise from straight ahead, in degrees, in (-180, 180]. */
  bearing_deg: number;
  /** In the plan, from the agent to the object's centre, in metres. */
  distance: number;
  visible: boolean;
};

export const HEADINGS = ["north", "east", "south", "west"] as const;
export type Heading = (typeof HEADINGS)[number];

/** The eight task families of the paper, and `heading`, the one that the tiny policy learns. */
export const TASKS = [
  "heading",
  "landmark_position",
  "counterfactual",
  "progress_evaluation",
  "action_generation",
  "relative_distance",
  "relative_direction",
  "route_planning",
  "appearance_order",
] as const;
export type Task = (typeof TASKS)[number];

/** A multiple-choice question about a world. `gold` is the letter of the right option. */
export type WorldQuestion = {
  question_id: string;
  world_id: string;
  task: Task;
  /** 1: headings, options in a fixed order; 2: the other families, fixed order where one exists; 3: shuffled options. */
  level: 1 | 2 | 3;
  text: string;
  options: string[];
  gold: string;
};
