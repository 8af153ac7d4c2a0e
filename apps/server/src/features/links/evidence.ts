import { leaveOut } from "@sightline/core/ask";
import type { Clip, SampleTable } from "@sightline/core/clips";
import type { SelectionVersion } from "@sightline/core/decisions";
import { findWorldOfQuestion, type LinkEvidence, type LinkTriple, readQuestion } from "@sightline/core/links";
import {
  formatFrame,
  type KnownTriple,
  type TripleSet,
  type TripleSetSummary,
} from "@sightline/core/perception";
import type { Trace } from "@sightline/core/traces";
import type { LineOf } from "@sightline/core/wire";
import type { World } from "@sightline/core/worlds";

/** What the other features know that a verdict may rest on. */
export type LinkSources = {
  /** Null where the library has no such clip. */
  getClip(clip_id: string): Clip | null;
  getSampleTable(clip_id: string): SampleTable;
  /** The key-frames that stand, as people corrected them; null where none are stored. */
  getVersion(clip_id: string): SelectionVersion | null;
  listTriples(clip_id: string): TripleSetSummary[];
  getTriples(triple_set_id: string): TripleSet;
  /** A stored question; null for one that only a run's own file has. */
  getQuestion(
    question_id: string,
  ): (LinkEvidence["question"] & { from_secs: number | null; to_secs: number | null }) | null;
  /** The world that a clip shows. */
  findWorld(clip_id: string): World | null;
  /** The clip that was rendered of a world. */
  findClipOfWorld(world_id: string): string | null;
};

/** Evidence with where the clip and its triples are. */
export type Gathered = { evidence: LinkEvidence; clip: Clip | null; triple_set_id: string | null };

type OfClip = {
  clip: Clip;
  shown: Pick<LinkEvidence, "clip" | "key_frames" | "frame_times">;
  version: SelectionVersion | null;
  sets: TripleSetSummary[];
};

const MANY_WORLDS = 4000;
/** Where a run does not tell the options: any of the eight letters may be one. */
const ANY_OPTIONS = [..."ABCDEFGH"].map((letter) => `option ${letter}`);

export function createGatherer(sources: LinkSources) {
  const worlds = new Map<string, World | null>();
  const worldOf = (question_id: string): World | null => {
    const known = worlds.get(question_id);
    if (known !== undefined) return known;
    if (worlds.size >= MANY_WORLDS) worlds.clear();
    const world = findWorldOfQuestion(question_id);
    worlds.set(question_id, world);
    return world;
  };

  const lookAtClip = (clip_id: string | null): OfClip | null => {
    const clip = clip_id === null ? null : sources.getClip(clip_id);
    if (clip === null) return null;
    const isRead = clip.state === "ready" || clip.state === "partial";
    const version = isRead ? sources.getVersion(clip.clip_id) : null;
    return {
      clip,
      version,
      sets: sources.listTriples(clip.clip_id).filter(({ state }) => state === "done"),
      shown: {
        clip: { state: clip.state, problem: clip.problem },
        key_frames: version?.key_frames.map(({ frame, time_secs }) => ({ frame, time_secs })) ?? null,
        frame_times: isRead ? sources.getSampleTable(clip.clip_id).time_secs : null,
      },
    };
  };

  return {
    worldOf,

    /** @param memory  Keeps what was seen of a clip, for many completions in a row. */
    ofCompletion(
      line: LineOf<"completion">,
      prompt: string | null,
      memory = new Map<string, OfClip | null>(),
    ): Gathered {
      const asked = worldOf(line.question_id);
      const clip_id = line.clip_id ?? (asked && sources.findClipOfWorld(asked.world_id));
      const key = clip_id ?? "";
      const of = memory.has(key) ? (memory.get(key) ?? null) : lookAtClip(clip_id);
      memory.set(key, of);
      const world = asked ?? (clip_id === null ? null : sources.findWorld(clip_id));
      const stored = asked === null ? sources.getQuestion(line.question_id) : null;
      const question = readQuestion(line, prompt, world) ??
        stored ?? { task: line.task, gold: line.gold, kind: "choice", text: "", options: ANY_OPTIONS };
      const set = asked === null && of !== null ? findTold(sources, of.sets, prompt) : null;
      return {
        clip: of?.clip ?? null,
        triple_set_id: set?.triple_set_id ?? of?.sets[0]?.triple_set_id ?? null,
        evidence: {
          text: line.text,
          prompt,
          is_cut: line.finish === "length",
          letter: line.parse.letter,
          question,
          judges: line.judges,
          world,
          is_from_truth: asked !== null,
          clip: null,
          key_frames: null,
          frame_times: null,
          ...of?.shown,
          triples: set && toLinkTriples(set.triples, of?.version ?? null),
          moment: stored && toMoment(stored),
        },
      };
    },

    ofTrace(trace: Trace): Gathered {
      const { clip_id, question, judgement, triples, struck, triple_set_id } = trace;
      const of = lookAtClip(clip_id);
      const stored = sources.getQuestion(trace.question_id);
      const left = leaveOut(triples, struck) as KnownTriple[];
      return {
        clip: of?.clip ?? null,
        triple_set_id: triple_set_id ?? of?.sets[0]?.triple_set_id ?? null,
        evidence: {
          text: trace.text,
          prompt: trace.prompt,
          is_cut: trace.problem?.includes("longest length") === true,
          letter: trace.reading?.letter ?? null,
          question,
          judges: judgement ? [{ variant: "unconditional", ...judgement }] : [],
          world: sources.findWorld(clip_id),
          is_from_truth: false,
          clip: null,
          frame_times: null,
          ...of?.shown,
          // Those that the triples were made of, which may have been corrected since.
          key_frames: triples.map(({ frame, time_secs }) => ({ frame, time_secs })),
          triples: toLinkTriples(left, of?.version ?? null),
          moment: stored && toMoment(stored),
        },
      };
    },
  };
}

/** The set whose frames stand in a prompt, word for word; null where none does. */
function findTold(
  sources: LinkSources,
  sets: readonly TripleSetSummary[],
  prompt: string | null,
): TripleSet | null {
  if (prompt === null || !prompt.includes("Frame 0:")) return null;
  for (const { triple_set_id } of sets) {
    const set = sources.getTriples(triple_set_id);
    if (set.triples.every((triple) => prompt.includes(formatFrame(triple, triple.index)))) return set;
  }
  return null;
}

function toLinkTriples(triples: readonly KnownTriple[], version: SelectionVersion | null): LinkTriple[] {
  const words = new Map(version?.key_frames.map(({ frame, action }) => [frame, action]));
  return triples.map(({ index, frame, action, change, relevant, motion, problems }) => {
    const word = words.get(frame) ?? null;
    const isOfThis = word !== null && (word.action !== null || word.said_action === action);
    const isJudged =
      motion !== null && motion.action !== "unclear" && action !== null && action !== "unclear";
    return {
      index,
      action,
      change,
      relevant,
      geometry: isJudged
        ? { agrees: !problems.includes("contradicts_geometry"), reason: motion.reason }
        : null,
      ...(isOfThis && { person: word.action }),
    };
  });
}

const toMoment = ({ from_secs, to_secs }: { from_secs: number | null; to_secs: number | null }) =>
  from_secs === null || to_secs === null ? null : ([from_secs, to_secs] as const);
