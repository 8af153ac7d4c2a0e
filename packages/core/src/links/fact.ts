import { describeFilm } from "../perception/oracle.ts";
import { toHeading, type World } from "../worlds/index.ts";
import { listTimes, lookAtFrame } from "./moments.ts";
import { getNeedKind, type Need, nameObject } from "./needs.ts";
import { followHeadings, type Told, type ToldFrame } from "./told.ts";
import { lookAtMove } from "./triples.ts";
import type { LinkCheck, LinkEvidence } from "./types.ts";
import { MOST_LOOKS } from "./video.ts";

type Check = Omit<LinkCheck, "link">;

const unknown = (sentence: string): Check => ({ state: "unknown", sentence, looks: [] });

/** Whether the answer can be got from what was told. */
export function checkFact(evidence: LinkEvidence, told: Told | null, need: Need | null): Check {
  const { question, world } = evidence;
  if (told === null) return unknown("The prompt was not kept, so what was told is not known.");
  const kind = getNeedKind(question.task);
  if (kind === null) return unknown(`Nobody wrote down which fact a question of “${question.task}” needs.`);
  if (kind === "heading") return checkHeading(evidence, told);
  if (world === null || need === null)
    return unknown("Without a world nobody can say which fact this question needs.");
  if (told.kind === "moves") return unknown("The prompt tells moves alone, and the question asks for more.");
  if (kind === "steps") return checkSteps(world, told.frames);
  return checkObjects(evidence, world, need, told.frames);
}

const getGoldText = ({ options, gold }: LinkEvidence["question"]): string | null =>
  gold === null ? null : (options["ABCDEFGH".indexOf(gold)]?.trim().toLowerCase() ?? null);

function checkHeading(evidence: LinkEvidence, told: Told): Check {
  const { question, world } = evidence;
  const headings = followHeadings(told, question.text);
  const end = headings?.at(-1);
  if (headings === null || end === undefined)
    return {
      state: "fails",
      sentence: "Nothing that was told says which way it faces at the start.",
      looks: [],
    };
  const isAsked = question.task === "heading";
  const wanted = isAsked ? getGoldText(question) : null;
  const truth = wanted ?? (world && toHeading(world.poses.at(-1)?.heading_deg ?? 0));
  if (truth === null)
    return unknown("The turn that is asked about can't be found in what was told without a world.");
  const looks =
    told.kind === "moves"
      ? told.moves
          .flatMap((_, at) => lookAtMove(evidence, told, at + 1))
          .filter(({ kind }) => kind === "prompt")
      : [];
  const way = told.kind === "moves" ? "The moves" : "The turns";
  return end === truth
    ? {
        state: "holds",
        sentence: `${way} that were told lead to ${end}${isAsked ? ", which is the right answer" : ", as they do in the world"}.`,
        looks: looks.slice(0, MOST_LOOKS),
      }
    : {
        state: "fails",
        sentence: `${way} that were told lead to ${end}, and it is ${truth}: a turn is missing, wrong, or of an amount that was not told.`,
        looks: looks.slice(0, MOST_LOOKS),
      };
}

const isClear = ({ action }: ToldFrame) => action !== null && action !== "unclear";

function checkSteps(world: World, frames: readonly ToldFrame[]): Check {
  const told = frames.filter(isClear).map(({ action }) => String(action));
  const truth = world.steps.map(({ action }) => String(action));
  const join = (actions: string[]) => actions.filter((action, at) => action !== actions[at - 1]).join(", ");
  if (told.join() === truth.join())
    return { state: "holds", sentence: `All ${truth.length} steps are told, one frame each.`, looks: [] };
  if (join(told) === join(truth))
    return unknown("All steps are told, but steps that are alike and follow each other can't be counted.");
  return {
    state: "fails",
    sentence: `The frames tell ${join(told) || "no step"}; the way was ${join(truth)}.`,
    looks: [],
  };
}

function checkObjects(evidence: LinkEvidence, world: World, need: Need, frames: readonly ToldFrame[]): Check {
  const mentions = need.objects.map((object) =>
    frames.filter(({ view }) => view.toLowerCase().includes(nameObject(object))),
  );
  const looks = mentions
    .flatMap((list) => (list[0] ? lookAtFrame(evidence.key_frames, list[0].index) : []))
    .slice(0, MOST_LOOKS);
  const absent = need.objects.filter((_, at) => mentions[at]?.length === 0);
  if (absent.length > 0)
    return {
      state: "fails",
      sentence: `No frame tells of ${absent.map((object) => `the ${nameObject(object)}`).join(", ")}.`,
      looks,
    };
  const things = need.objects.map((object) => `the ${nameObject(object)}`).join(", ");
  if (need.kind === "order") {
    const firsts = mentions.map((list) => list[0]?.index ?? 0);
    return new Set(firsts).size === firsts.length
      ? { state: "holds", sentence: `Each comes up at a frame of its own: ${things}.`, looks }
      : { state: "fails", sentence: `Two of these come up at the same frame: ${things}.`, looks };
  }
  if (need.steps.length > 0) {
    const last = mentions[0]?.at(-1)?.index ?? 0;
    const lost = findUntoldTurn(evidence, world, frames, last);
    if (lost !== null)
      return {
        state: "fails",
        sentence: `After frame ${last}, the last that tells of ${things}, frame ${lost} doesn't say which way it turned.`,
        looks: lookAtFrame(evidence.key_frames, lost),
      };
  }
  return { state: "holds", sentence: `The frames tell of ${things}.`, looks };
}

/** The first frame after `last` whose turn was not told. */
function findUntoldTurn(
  { key_frames }: LinkEvidence,
  world: World,
  frames: readonly ToldFrame[],
  last: number,
): number | null {
  const times = listTimes(world, frames, key_frames);
  const truth = times && describeFilm(world, times);
  const lost = frames.find(
    (frame, at) => frame.index > last && !isClear(frame) && truth?.[at]?.action?.startsWith("rotate"),
  );
  return lost?.index ?? null;
}
