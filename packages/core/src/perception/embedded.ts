import { LABELS, type Label } from "../detection/labels.ts";
import type { Detection } from "../detection/types.ts";
import type { Homography, PairEvidence } from "../keyframes/types.ts";
import type { Motion } from "../motion/types.ts";
import {
  followObjects,
  getCentre,
  type ObjectChanges,
  type Prediction,
  type SeenObject,
} from "./follow-objects.ts";
import { nameObjects, toPlural } from "./name-objects.ts";
import type { Triple } from "./types.ts";

/** Changes whenever the same pictures would be described otherwise. */
export const EMBEDDED_VERSION = "1";

/** A key-frame as geometry and the detector see it. */
export type SeenKeyFrame = {
  /** Ordinal in the clip. */
  frame: number;
  time_secs: number;
  /** Size of the upright picture and what the detector found in it; null when the picture could not be decoded. */
  seen: { width: number; height: number; detections: readonly Detection[] } | null;
  /** What the pictures say of the way from the key-frame before; null at the first, and where they can't be compared. */
  motion: Motion | null;
  /** The key-frame selection's comparison with the key-frame before, to foretell where objects go; null without one. */
  evidence: PairEvidence | null;
};

/**
 * Describes key-frames from what geometry and the small detector say, and nothing else: no network, no guess.
 *
 * @param keyFrames  In order of their frames.
 * @param plane  Size of the pictures of which `evidence` speaks, in pixels; see `KeyFrameSelection`.
 * @param question  Question and options, or a person's own words; `relevant` names what is in them and was detected.
 */
export function describeEmbedded(
  keyFrames: readonly SeenKeyFrame[],
  plane: { width: number; height: number } | null,
  question: string,
): Triple[] {
  const named = nameObjects(question);
  return keyFrames.map((keyFrame, index) => {
    const { frame, time_secs, motion } = keyFrame;
    const before = index === 0 ? null : (keyFrames[index - 1] ?? null);
    const objects = listObjects(keyFrame);
    return {
      index,
      frame,
      time_secs,
      action: index === 0 ? null : (motion?.action ?? "unclear"),
      change:
        objects === null
          ? "The picture could not be decoded."
          : before === null
            ? describeView(objects)
            : describeChange(listObjects(before), objects, predict(before, keyFrame, plane)),
      relevant: describeRelevant(objects ?? [], named),
      raw: writeEvidence(keyFrame, index),
      problems: [],
    };
  });
}

const NONE_FOUND = `The detector knows ${LABELS.length} kinds of object; none was found.`;

function listObjects({ seen }: SeenKeyFrame): SeenObject[] | null {
  if (seen === null) return null;
  const { width, height } = seen;
  return seen.detections.map(({ label, score, box: [x0, y0, x1, y1] }) => ({
    label,
    score,
    box: [x0 / width, y0 / height, x1 / width, y1 / height],
  }));
}

function describeView(objects: readonly SeenObject[]): string {
  return objects.length === 0 ? NONE_FOUND : `In view: ${listPhrases(objects)}.`;
}

function describeChange(
  before: readonly SeenObject[] | null,
  now: readonly SeenObject[],
  prediction: Prediction | null,
): string {
  if (before === null) return `The picture before could not be decoded. ${describeView(now)}`;
  const changes = followObjects(before, now, prediction);
  const sentences = [
    ...describeFound(changes),
    ...describeLost(changes),
    ...changes.kept.flatMap((pair) => describeKept(pair)),
  ];
  if (sentences.length > 0) return sentences.join(" ");
  return now.length === 0
    ? NONE_FOUND
    : `Nothing that the detector knows comes, goes or moves: ${listPhrases(now)}.`;
}

function describeFound({ found }: ObjectChanges): string[] {
  const isNew = found.filter(({ was_outside }) => was_outside !== false).map(({ now }) => now);
  const wasThere = found.filter(({ was_outside }) => was_outside === false).map(({ now }) => now);
  return [
    ...(isNew.length > 0 ? [`New in view: ${listPhrases(isNew)}.`] : []),
    // Its place was in view before: what is new is that it is recognised.
    ...(wasThere.length > 0 ? [`Recognised now: ${listPhrases(wasThere)}.`] : []),
  ];
}

function describeLost({ lost }: ObjectChanges): string[] {
  const gone = lost.filter(({ is_outside }) => is_outside === true).map(({ before }) => before);
  const missed = lost.filter(({ is_outside }) => is_outside !== true).map(({ before }) => before);
  const list = (objects: readonly SeenObject[]) =>
    join(objects.map((one) => `the ${one.label} ${getWas(one)}`));
  return [
    ...(gone.length > 0 ? [`Out of view: ${list(gone)}.`] : []),
    ...(missed.length > 0 ? [`No longer recognised: ${list(missed)}.`] : []),
  ];
}

const getWas = (object: SeenObject) => `that was ${getPlace(object)}`;

/** A change of an object's size in the picture, up or down, that is worth a word. */
const GROWTH = 1.25;

function describeKept({ before, now }: ObjectChanges["kept"][number]): string[] {
  const from = getPlace(before);
  const to = getPlace(now);
  const ratio = Math.sqrt(getArea(now) / getArea(before));
  const size = ratio >= GROWTH ? "larger" : ratio <= 1 / GROWTH ? "smaller" : null;
  if (from === to && size === null) return [];
  const moved = from === to ? `still ${to}` : `now ${to}, before ${from}`;
  return [`The ${now.label} is ${moved}${size === null ? "" : `, and looks ${size}`}.`];
}

const getArea = ({ box }: SeenObject) => (box[2] - box[0]) * (box[3] - box[1]);

/** The side of the agent on which an object is. */
function getPlace(object: SeenObject): "to the left" | "ahead" | "to the right" {
  const [x] = getCentre(object);
  return x < 1 / 3 ? "to the left" : x > 2 / 3 ? "to the right" : "ahead";
}

/** How much of the picture's height an object fills where it is called near, and where far or small. */
const NEAR = 0.5;
const SMALL = 0.15;

function getSize({ box }: SeenObject): string {
  const share = box[3] - box[1];
  return share >= NEAR ? ", near" : share <= SMALL ? ", far or small" : "";
}

/** "a chair to the left, near; 2 cups ahead". */
function listPhrases(objects: readonly SeenObject[]): string {
  const counts = new Map<string, { label: Label; where: string; count: number }>();
  for (const object of objects) {
    const where = `${getPlace(object)}${getSize(object)}`;
    const key = `${object.label} ${where}`;
    const entry = counts.get(key) ?? { label: object.label, where, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  return [...counts.values()]
    .map(({ label, where, count }) =>
      count === 1 ? `${withArticle(label)} ${where}` : `${count} ${toPlural(label)} ${where}`,
    )
    .join("; ");
}

const WITHOUT_ARTICLE: readonly Label[] = ["skis", "scissors", "broccoli"];
const withArticle = (label: Label) =>
  WITHOUT_ARTICLE.includes(label) ? label : `${/^[aeiou]/.test(label) ? "an" : "a"} ${label}`;

const join = (words: readonly string[]) =>
  words.length <= 1 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

function describeRelevant(objects: readonly SeenObject[], named: ReadonlySet<Label>): string {
  const asked = objects.filter(({ label }) => named.has(label));
  return asked.length === 0 ? "" : `Of the question: ${listPhrases(asked)}.`;
}

/** What the perceiver itself has to go by, for a person who wants to check it. */
function writeEvidence({ seen, motion }: SeenKeyFrame, index: number): string {
  const sure = motion?.confidence === null || motion === null ? "" : ` (${motion.confidence.toFixed(2)})`;
  const moved =
    motion === null
      ? "Motion: the pictures can't be compared."
      : `Motion: ${motion.action}${sure}. ${motion.reason}`;
  const objects = seen?.detections.map(
    ({ label, score, box }) => `${label} ${score.toFixed(2)} at ${box.map(Math.round).join(" ")}`,
  );
  const found =
    objects === undefined
      ? "Objects: the picture could not be decoded."
      : `Objects: ${objects.length === 0 ? "none" : objects.join("; ")}.`;
  return index === 0 ? found : `${moved}\n${found}`;
}

/** Foretells by the homography of the key-frame selection, where there is one from just this key-frame to the one before. */
function predict(
  before: SeenKeyFrame,
  { evidence }: SeenKeyFrame,
  plane: { width: number; height: number } | null,
): Prediction | null {
  if (evidence?.homography == null || evidence.failure !== null || plane === null) return null;
  if (evidence.reference !== before.frame) return null;
  const { width, height } = plane;
  const back = evidence.homography;
  const on = invert(back);
  if (on === null) return null;
  const by = (matrix: Homography) => (x: number, y: number) => project(matrix, x * width, y * height, plane);
  return { toEarlier: by(back), toLater: by(on) };
}

/** Behind the camera there is no place: it is as far out of view as can be. */
function project(
  [a, b, c, d, e, f, g, h, i]: Homography,
  x: number,
  y: number,
  { width, height }: { width: number; height: number },
): [number, number] {
  const w = g * x + h * y + i;
  if (w <= 1e-9) return [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [(a * x + b * y + c) / w / width, (d * x + e * y + f) / w / height];
}

function invert([a, b, c, d, e, f, g, h, i]: Homography): Homography | null {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  if (Math.abs(determinant) < 1e-12) return null;
  return [
    (e * i - f * h) / determinant,
    (c * h - b * i) / determinant,
    (b * f - c * e) / determinant,
    (f * g - d * i) / determinant,
    (a * i - c * g) / determinant,
    (c * d - a * f) / determinant,
    (d * h - e * g) / determinant,
    (b * g - a * h) / determinant,
    (a * e - b * d) / determinant,
  ];
}
