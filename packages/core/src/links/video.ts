import { formatNumberOf } from "../format/index.ts";
import { filmSteps, type World } from "../worlds/index.ts";
import {
  findClosing,
  findFirstSight,
  findTelling,
  isVisibleAt,
  listShownSteps,
  lookAtFrame,
  lookAtMoment,
} from "./moments.ts";
import { type Need, nameObject } from "./needs.ts";
import type { LinkCheck, LinkEvidence, LinkFrame, LinkState, Look } from "./types.ts";

/** So many things to look at are shown. */
export const MOST_LOOKS = 6;

const TOLD_FROM_TRUTH = "The prompt was written from the world itself, so this had no part in it";

/** Where the prompt owes nothing to the pictures, what is wrong with them broke nothing. */
const failsUnless = (is_from_truth: boolean): LinkState => (is_from_truth ? "unknown" : "fails");

export function checkClip({ clip, world, is_from_truth }: LinkEvidence): Omit<LinkCheck, "link"> {
  const say = (state: LinkState, sentence: string) => ({ state, sentence, looks: [] });
  if (clip === null)
    return world !== null && is_from_truth
      ? say("unknown", "The prompt was written from the world itself, and no clip of it was rendered yet.")
      : say("unknown", "No clip of the library belongs to this question.");
  if (clip.state === "ready") return say("holds", "The clip was decoded to its end.");
  if (clip.state === "reading") return say("unknown", "The clip is still being read.");
  const problem = clip.problem ?? "The clip could not be decoded whole.";
  return say(failsUnless(is_from_truth), is_from_truth ? `${problem} ${TOLD_FROM_TRUTH}.` : problem);
}

/** Whether what the question needs can be seen on the key-frames at all. */
export function checkKeyFrames(evidence: LinkEvidence, need: Need | null): Omit<LinkCheck, "link"> {
  const { key_frames, clip, world, moment, is_from_truth, frame_times } = evidence;
  const unknown = (sentence: string) => ({ state: "unknown" as const, sentence, looks: [] });
  if (key_frames === null || key_frames.length === 0)
    return unknown(
      clip === null && is_from_truth
        ? "Without a clip there are no key-frames; the prompt tells every move by itself."
        : "The clip has no stored key-frames.",
    );
  if (world === null) return checkMoment(key_frames, moment);
  if (need === null) return unknown("Nobody wrote down which moment such a question asks about.");
  const missing = listMissing(world, need, key_frames, frame_times);
  if (missing.length === 0)
    return {
      state: "holds",
      sentence: `The ${formatNumberOf(key_frames.length, "key-frame")} ${describeNeed(need)}.`,
      looks: listCovering(world, need, key_frames),
    };
  const words = missing.map(({ what }) => what).join("; ");
  return {
    state: failsUnless(is_from_truth),
    sentence: is_from_truth
      ? `The key-frames miss something: ${words}. ${TOLD_FROM_TRUTH}.`
      : `The key-frames miss what the question needs: ${words}.`,
    looks: missing.flatMap(({ looks }) => looks).slice(0, MOST_LOOKS),
  };
}

function checkMoment(
  key_frames: readonly LinkFrame[],
  moment: LinkEvidence["moment"],
): Omit<LinkCheck, "link"> {
  if (moment === null)
    return {
      state: "unknown",
      sentence: "Nothing says which moment of the clip the question asks about.",
      looks: [],
    };
  const [from_secs, to_secs] = moment;
  const within = key_frames.flatMap(({ time_secs }, index) =>
    time_secs >= from_secs && time_secs <= to_secs ? [index] : [],
  );
  const stretch = `${from_secs.toFixed(1)} to ${to_secs.toFixed(1)} s`;
  return within.length > 0
    ? {
        state: "holds",
        sentence: `${formatNumberOf(within.length, "key-frame")} within the stretch that is asked about, ${stretch}.`,
        looks: within.slice(0, MOST_LOOKS).flatMap((index) => lookAtFrame(key_frames, index)),
      }
    : {
        state: "fails",
        sentence: `No key-frame within the stretch that is asked about, ${stretch}.`,
        looks: lookAtFrame(key_frames, findClosing(key_frames, from_secs)),
      };
}

function describeNeed({ kind, steps, objects }: Need): string {
  if (kind === "heading") return `show ${steps.length === 1 ? "the turn" : `all ${steps.length} turns`}`;
  if (kind === "steps") return `show all ${steps.length} steps`;
  const things = objects.map((object) => `the ${nameObject(object)}`).join(", ");
  return kind === "order" ? `show when each came into view: ${things}` : `show ${things}`;
}

type Missing = { what: string; looks: Look[] };

function listMissing(
  world: World,
  need: Need,
  key_frames: readonly LinkFrame[],
  frame_times: LinkEvidence["frame_times"],
): Missing[] {
  const shown = listShownSteps(world, key_frames);
  const filmed = filmSteps(world);
  const steps = need.steps
    .filter((index) => !shown.has(index))
    .map((index): Missing => {
      const { step, to_secs } = filmed[index] ?? { step: null, to_secs: 0 };
      const what = `step ${index + 1}, ${step?.action}, until ${to_secs.toFixed(1)} s`;
      return { what, looks: lookAtMoment(frame_times, to_secs, `frame at ${to_secs.toFixed(1)} s`) };
    });
  const firsts = need.objects.map((object) =>
    key_frames.findIndex(({ time_secs }) => isVisibleAt(world, time_secs, object)),
  );
  const objects = need.objects.flatMap((object, at): Missing[] => {
    if ((firsts[at] ?? -1) >= 0) return [];
    const seen_secs = findFirstSight(world, object);
    const name = `the ${nameObject(object)}`;
    if (seen_secs === null) return [{ what: `${name}, which the clip never shows`, looks: [] }];
    const looks = lookAtMoment(frame_times, seen_secs, `frame at ${seen_secs.toFixed(1)} s`);
    return [{ what: `${name}, in view from ${seen_secs.toFixed(1)} s`, looks }];
  });
  if (need.kind !== "order" || objects.length > 0) return [...steps, ...objects];
  const isTied = new Set(firsts).size < firsts.length;
  const together = isTied ? [{ what: "two of the things come into view at one key-frame", looks: [] }] : [];
  return [...steps, ...together];
}

function listCovering(world: World, need: Need, key_frames: readonly LinkFrame[]): Look[] {
  const ends = filmSteps(world);
  const indices =
    need.objects.length > 0
      ? need.objects.map((object) =>
          key_frames.findIndex(({ time_secs }) => isVisibleAt(world, time_secs, object)),
        )
      : need.steps.map((index) =>
          findTelling(world, key_frames, ends[index] ?? { from_secs: 0, to_secs: 0 }),
        );
  return [...new Set(indices)].slice(0, MOST_LOOKS).flatMap((index) => lookAtFrame(key_frames, index));
}
