/**
 * The small detector's objects against the truth of rendered worlds, kind by kind. `pnpm bench detection`.
 *
 * The sample clips are decoded as the product decodes them; pictures of generated worlds are drawn and looked at as they
 * are. Most of the shapes are no more than boxes and cylinders of one colour: that a "chair" is not found is no surprise, and
 * what counts there is that nothing else is made of it.
 */
import { join } from "node:path";
import { type Detection, detect, getOverlap, type Label, readYuv } from "@sightline/core/detection";
import {
  generateWorld,
  getPoseAt,
  getSightings,
  listSampleWorlds,
  type Pose,
  renderView,
  SETTINGS,
  type World,
  type WorldObject,
} from "@sightline/core/worlds";
import { RENDER_DEFAULTS } from "../src/features/worlds/render-video.ts";
import { readPictures } from "../src/media/read-frames.ts";
import { scan } from "../src/media/scan.ts";
import { copyYuv } from "../src/media/yuv.ts";
import { openNetwork } from "../src/workers/detect.ts";

const SAMPLES = join(import.meta.dirname, "../../../fixtures/worlds");
const EVERY = 5;
const WORLDS_A_SETTING = 12;
/** Objects of which less is inside the picture, or that are smaller there, are not asked for; they count against nothing. */
const LEAST_INSIDE = 0.7;
const LEAST_PX = 16;
const SAME = 0.3;

/** What a person who labels for COCO would call each noun; null for what is none of the 80 kinds. */
const LABEL_OF: Record<string, Label | null> = {
  chair: "chair",
  table: "dining table",
  lamp: null,
  cabinet: null,
  ball: "sports ball",
  plant: "potted plant",
  kiosk: null,
  bench: "bench",
  pillar: null,
  sign: "stop sign",
  "stop sign": "stop sign",
  clock: "clock",
  "traffic light": "traffic light",
  bin: null,
  crate: null,
  statue: null,
  fountain: null,
  planter: null,
  globe: "sports ball",
  gate: null,
};

/** Height of a board as a multiple of its width; the pole below it is no part of what is labelled. */
const BOARD: Partial<Record<WorldObject["shape"], number>> = { sign: 1, clock: 1, lights: 2.5 };

type View = { world: World; pose: Pose; detections: Detection[] };
type Truth = { object: WorldObject; box: Detection["box"]; is_asked: boolean };

const { width, height, frame_rate } = RENDER_DEFAULTS;
const run = await openNetwork();

async function* lookAtSamples(): AsyncGenerator<View> {
  for (const world of listSampleWorlds()) {
    const file = join(SAMPLES, `${world.world_id}.mp4`);
    const { index } = await scan(file, { interval_secs: 1 });
    const frames = [...index.time_secs.keys()].filter((frame) => frame % EVERY === 0);
    for (const { ordinal, frame, facts } of readPictures(file, index, frames, 1)) {
      const detections = await detect(readYuv(copyYuv(frame, facts.rotation)), run);
      yield { world, pose: getPoseAt(world, ordinal / frame_rate), detections };
    }
  }
}

async function* lookAtWorlds(): AsyncGenerator<View> {
  for (const setting of SETTINGS)
    for (let seed = 1; seed <= WORLDS_A_SETTING; seed += 1) {
      const world = generateWorld(seed, setting, { min_steps: 3, max_steps: 6, moves: "free" });
      for (const pose of world.poses) {
        const data = renderView(world, pose, width, height);
        yield { world, pose, detections: await detect({ width, height, channels: 3, data }, run) };
      }
    }
}

/** The box of an object in the picture; null where part of it is behind the camera or none of it inside. */
function project(
  object: WorldObject,
  world: World,
  pose: Pose,
): { box: Detection["box"]; inside: number } | null {
  const tall = BOARD[object.shape];
  const base = tall === undefined ? object.z : object.z + object.height - object.width * tall;
  const depth = tall === undefined ? object.depth : 0;
  const heading = (pose.heading_deg * Math.PI) / 180;
  const pitch = (pose.pitch_deg * Math.PI) / 180;
  const focal = width / 2 / Math.tan((world.field_of_view_deg * Math.PI) / 360);
  const xs: number[] = [];
  const ys: number[] = [];
  for (const east of [-0.5, 0.5])
    for (const north of [-0.5, 0.5])
      for (const z of [base, object.z + object.height]) {
        const dx = object.x + east * object.width - pose.x;
        const dy = object.y + north * depth - pose.y;
        const dz = z - pose.z;
        const level = dx * Math.sin(heading) + dy * Math.cos(heading);
        const ahead = level * Math.cos(pitch) + dz * Math.sin(pitch);
        if (ahead < 0.1) return null;
        xs.push(width / 2 + (focal * (dx * Math.cos(heading) - dy * Math.sin(heading))) / ahead);
        ys.push(height / 2 - (focal * (dz * Math.cos(pitch) - level * Math.sin(pitch))) / ahead);
      }
  const whole = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
  const box: Detection["box"] = [
    Math.max(0, whole[0]),
    Math.max(0, whole[1]),
    Math.min(width, whole[2]),
    Math.min(height, whole[3]),
  ];
  if (box[2] <= box[0] || box[3] <= box[1]) return null;
  const area = (one: readonly [number, number, number, number]) => (one[2] - one[0]) * (one[3] - one[1]);
  return { box, inside: area(box) / area(whole) };
}

function listTruth(world: World, pose: Pose): Truth[] {
  const sightings = getSightings(world, pose);
  return world.objects.flatMap((object, at) => {
    const seen = project(object, world, pose);
    if (seen === null) return [];
    const { box, inside } = seen;
    const is_large = Math.min(box[2] - box[0], box[3] - box[1]) >= LEAST_PX;
    return [{ object, box, is_asked: sightings[at]?.visible === true && inside >= LEAST_INSIDE && is_large }];
  });
}

type Tally = { asked: number; found: number; called: Map<string, number> };
const nouns = new Map<string, Tally>();
const labels = new Map<string, { right: number; wrong: number }>();
let pictures = 0;

function count({ world, pose, detections }: View): void {
  pictures += 1;
  const truth = listTruth(world, pose);
  for (const { object, box, is_asked } of truth) {
    if (!is_asked) continue;
    const tally = nouns.get(object.noun) ?? { asked: 0, found: 0, called: new Map() };
    nouns.set(object.noun, tally);
    tally.asked += 1;
    const here = detections.filter((one) => getOverlap(one.box, box) >= SAME);
    if (here.some(({ label }) => label === LABEL_OF[object.noun])) tally.found += 1;
    for (const { label } of here)
      if (label !== LABEL_OF[object.noun]) tally.called.set(label, (tally.called.get(label) ?? 0) + 1);
  }
  for (const { label, box } of detections) {
    const score = labels.get(label) ?? { right: 0, wrong: 0 };
    labels.set(label, score);
    const is_right = truth.some(
      (one) => LABEL_OF[one.object.noun] === label && getOverlap(one.box, box) >= SAME,
    );
    if (is_right) score.right += 1;
    else score.wrong += 1;
  }
}

for await (const view of lookAtSamples()) count(view);
for await (const view of lookAtWorlds()) count(view);

const share = (part: number, whole: number) =>
  whole === 0 ? null : Math.round((1000 * part) / whole) / 1000;
const say = (line: Record<string, unknown>) => console.log(JSON.stringify(line));

for (const [noun, { asked, found, called }] of [...nouns].sort(([a], [b]) => a.localeCompare(b))) {
  const label = LABEL_OF[noun] ?? null;
  const mistaken = Object.fromEntries([...called].sort(([, a], [, b]) => b - a));
  say({
    id: "D1",
    noun,
    label,
    value: label && share(found, asked),
    unit: "recall",
    asked,
    found,
    taken_for: mistaken,
  });
}
for (const [label, { right, wrong }] of [...labels].sort(([a], [b]) => a.localeCompare(b)))
  say({ id: "D2", label, value: share(right, right + wrong), unit: "precision", right, wrong });

const all = [...labels.values()];
const right = all.reduce((sum, one) => sum + one.right, 0);
const wrong = all.reduce((sum, one) => sum + one.wrong, 0);
const asked = [...nouns].filter(([noun]) => LABEL_OF[noun] != null).map(([, tally]) => tally);
say({
  id: "D3",
  unit: "all kinds",
  pictures,
  precision: share(right, right + wrong),
  recall: share(
    asked.reduce((sum, one) => sum + one.found, 0),
    asked.reduce((sum, one) => sum + one.asked, 0),
  ),
  with: `threshold 0.4, ${width} × ${height}; a box counts from ${SAME} overlap on`,
});
