import { formatNumberOf } from "../format/index.ts";
import { describeFilm } from "../perception/oracle.ts";
import { COLOURS, describeBearing, getBearing, getPoseAt, toHeading, type World } from "../worlds/index.ts";
import { findTelling, listTimes, listTrueMoves, lookAtFrame } from "./moments.ts";
import { nameObject } from "./needs.ts";
import { findInPrompt, type Told, type ToldFrame } from "./told.ts";
import type { LinkCheck, LinkEvidence, LinkTriple, Look } from "./types.ts";
import { MOST_LOOKS } from "./video.ts";

type Check = Omit<LinkCheck, "link">;

/** Whether what the policy was told is so: by the world's truth, else by what geometry and people say of the actions. */
export function checkTriples(evidence: LinkEvidence, told: Told | null): Check {
  const { world, triples } = evidence;
  if (told === null)
    return {
      state: "unknown",
      sentence: "The prompt was not kept, so what was told is not known.",
      looks: [],
    };
  if (world === null) return checkByWitnesses(evidence);
  if (told.kind === "moves" && triples === null) return checkMoves(evidence, world, told);
  const frames =
    told.kind === "frames"
      ? told.frames
      : (triples ?? []).map(({ index, action, change, relevant }) => ({
          index,
          action,
          view: `${change} ${relevant}`,
        }));
  return checkFrames(evidence, world, frames);
}

/** The nth move (from 1) of a tiny prompt: its words, and the key-frame at which it has just been made. */
export function lookAtMove(evidence: LinkEvidence, told: Told & { kind: "moves" }, n: number): Look[] {
  const { prompt, world, key_frames } = evidence;
  const span = findInPrompt(prompt, told, n);
  const looks: Look[] = [];
  if (world !== null && key_frames !== null && key_frames.length > 0) {
    const made = listTrueMoves(world, told.moves)[n - 1];
    if (made) looks.push(...lookAtFrame(key_frames, findTelling(world, key_frames, made), n));
  }
  if (span)
    looks.push({ kind: "prompt", from: span[0], to: span[1], point: n, label: `move ${n} of the prompt` });
  return looks;
}

function checkMoves(evidence: LinkEvidence, world: World, told: Told & { kind: "moves" }): Check {
  const truth = listTrueMoves(world, told.moves);
  const start = toHeading(world.poses[0]?.heading_deg ?? 0);
  if (told.start !== start)
    return {
      state: "fails",
      sentence: `The prompt starts facing ${told.start}; in the world it is ${start}.`,
      looks: lookAtFrame(evidence.key_frames, 0),
    };
  const count = Math.max(truth.length, told.moves.length);
  for (let n = 1; n <= count; n += 1) {
    const [said, is] = [told.moves[n - 1], truth[n - 1]?.move];
    if (said === is) continue;
    const sentence =
      said === undefined
        ? `The prompt leaves out move ${n}; in the world it is ${is}.`
        : `The prompt says ${n} ${said}; in the world ${is === undefined ? "there is no such move" : `it is ${is}`}.`;
    return { state: "fails", sentence, looks: lookAtMove(evidence, told, n) };
  }
  const moves = truth.length === 1 ? "The one move" : `All ${truth.length} moves`;
  return {
    state: "holds",
    sentence: `${moves} of the prompt and the heading at the start are those of the world.`,
    looks: truth.flatMap((_, at) => lookAtMove(evidence, told, at + 1)[0] ?? []).slice(0, MOST_LOOKS),
  };
}

/** A thing named with the direction in which it is: "a red chair ahead-left, near". */
const SIGHT = new RegExp(
  `\\b(${COLOURS.join("|")}) ([a-z]+(?: (?:sign|light))?) (ahead-right|ahead-left|ahead|behind-right|behind-left|behind|right|left),`,
  "g",
);
/** A direction within this of a border may be called by either neighbour's word. */
const SLACK_DEG = 12;

/** What a frame says of things against the truth: the first that is not so, in words; null when all is. */
function findWrongSight(world: World, { view }: ToldFrame, at_secs: number): string | null {
  for (const [, colour, noun, word] of view.matchAll(SIGHT)) {
    const object = world.objects.find((one) => nameObject(one) === `${colour} ${noun}`);
    if (object === undefined) return `a ${colour} ${noun}, which is not there`;
    const bearing = getBearing(getPoseAt(world, at_secs), object);
    const words = [-SLACK_DEG, 0, SLACK_DEG].map((off) => describeBearing(bearing + off));
    if (!words.includes(word ?? "")) return `the ${colour} ${noun} ${word}; it is ${words[1]}`;
  }
  return null;
}

function checkFrames(evidence: LinkEvidence, world: World, frames: readonly ToldFrame[]): Check {
  const times = listTimes(world, frames, evidence.key_frames);
  if (times === null)
    return {
      state: "unknown",
      sentence: `${formatNumberOf(frames.length, "frame")} told, and nothing says at which moments of the world's ${world.steps.length} steps they are.`,
      looks: [],
    };
  const truth = describeFilm(world, times);
  const show = ({ index }: ToldFrame): Look[] => [
    ...lookAtFrame(evidence.key_frames, index),
    ...lookAtPrompt(evidence, index),
  ];
  for (const [at, frame] of frames.entries()) {
    const is = truth[at]?.action ?? null;
    const isSaid = frame.action !== null && frame.action !== "unclear";
    if (at > 0 && isSaid && is !== frame.action)
      return {
        state: "fails",
        sentence: `Frame ${frame.index} says ${frame.action}; in the world it is ${is === "unclear" ? "no move at all" : is}.`,
        looks: show(frame),
      };
    const wrong = findWrongSight(world, frame, times[at] ?? 0);
    if (wrong !== null)
      return { state: "fails", sentence: `Frame ${frame.index} tells of ${wrong}.`, looks: show(frame) };
  }
  return {
    state: "holds",
    sentence: `The actions of all ${formatNumberOf(frames.length, "frame")} are those of the world, and so is what they say of things.`,
    looks: frames.flatMap(({ index }) => lookAtFrame(evidence.key_frames, index)).slice(0, MOST_LOOKS),
  };
}

function lookAtPrompt({ prompt }: LinkEvidence, index: number): Look[] {
  const span = findInPrompt(prompt, { kind: "frames", frames: [] }, index);
  return span
    ? [{ kind: "prompt", from: span[0], to: span[1], point: index, label: `frame ${index} of the prompt` }]
    : [];
}

/** Without a world: a person's word goes before geometry's; of things neither says anything. */
function checkByWitnesses(evidence: LinkEvidence): Check {
  const { triples, key_frames } = evidence;
  if (triples === null)
    return {
      state: "unknown",
      sentence: "The prompt's triples are not stored with the clip's, so nothing speaks for or against them.",
      looks: [],
    };
  const show = ({ index }: LinkTriple) => [
    ...lookAtFrame(key_frames, index),
    ...lookAtPrompt(evidence, index),
  ];
  let spoken = 0;
  const stated = triples.filter(({ index, action }) => index > 0 && action !== null);
  for (const triple of stated) {
    const { index, action, person, geometry } = triple;
    if (person !== undefined) {
      spoken += 1;
      if (person === action) continue;
      const right = person === null ? "a person says that it is wrong" : `a person says ${person}`;
      return { state: "fails", sentence: `Frame ${index} says ${action}; ${right}.`, looks: show(triple) };
    }
    if (geometry === null) continue;
    if (!geometry.agrees)
      return {
        state: "fails",
        sentence: `Frame ${index} says ${action}; the pictures say otherwise: ${geometry.reason}`,
        looks: show(triple),
      };
    spoken += 1;
  }
  if (spoken === stated.length && spoken > 0)
    return {
      state: "holds",
      sentence: `Geometry or a person agrees with all ${formatNumberOf(spoken, "action")}. What is said of things nobody can check here.`,
      looks: [],
    };
  return {
    state: "unknown",
    sentence: `Of ${formatNumberOf(stated.length, "action")}, geometry or a person agrees with ${spoken} and contradicts none; the others can't be told.`,
    looks: [],
  };
}
