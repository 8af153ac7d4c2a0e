import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Job } from "@sightline/core/clips";
import type { SelectionVersion } from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import {
  contradictsGeometry,
  type KnownTriple,
  leaksAnswer,
  type Perceiver,
  readTriplesFile,
  type TripleEdit,
  type TripleFields,
  type TripleProblem,
  type TripleSet,
  type TripleSetSummary,
  type TripleTally,
  tallyTriples,
} from "@sightline/core/perception";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import { type Bell, createBell } from "../../live/follow.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { Perceive } from "./perceivers/perceiver.ts";
import { applyEdits, type EditRow, listStanding, type SetRow, type TripleStore } from "./store.ts";
import type { KeyFrame } from "./tables.ts";

/** The key-frames of one version of a selection. */
type Described = { key_frames: KeyFrame[]; selection_version: number };

/** What is to be described, and by whom. */
export type TriplePlan = {
  clip_id: string;
  /** Of a stored key-frame selection. */
  settings_hash: string;
  perceiver: Perceiver;
  /** The question whose objects matter; null when it is none of the stored ones. */
  question_id: string | null;
  /** Question and options, or a person's own words; may be empty. */
  question: string;
};

/** What a plan will cost, as far as it can be known before. */
export type TripleEstimate = {
  key_frames: number;
  /** Calls to the endpoint, without those whose answer is known from before. */
  calls: number;
  cached: number;
  /** Pictures that are sent. */
  pictures: number;
  /** Rough: of prompts and pictures, and of answers. */
  prompt_tokens: number;
  completion_tokens: number;
  /** Null while nothing like it was ever made. */
  secs: number | null;
};

/** What a file of triples is brought in as. */
export type ImportedTriples = {
  triple_set_ids: string[];
  /** Rows of this clip that could not be brought in, and rows without triples, each with the reason. */
  set_aside: { id: string; reason: string }[];
  /** Rows of other clips. */
  others: number;
};

/** Sets of triples of the library's clips. */
export type Triples = {
  /** Kinds of perceiver that a clip can have, besides files. */
  listPerceivers(clip_id: string): Perceiver["kind"][];
  /** Sets of a clip, newest first. */
  list(clip_id: string): TripleSetSummary[];
  /** Sets of a clip that are in the trash, the last one first. */
  listTrashed(clip_id: string): TripleSetSummary[];
  get(triple_set_id: string): TripleSet;
  /** What stands out about a set's perceiver over all clips: the newest set of each counts. */
  tallyPerceiver(triple_set_id: string): { clips: number; tally: TripleTally };
  estimate(plan: TriplePlan): TripleEstimate;
  /** Begins a set and the job that fills it. */
  start(plan: TriplePlan): TripleSetSummary;
  /** The same, and waits for the end; of a set just like it that is being made, too. Throws with the set's problem when it was not finished. */
  make(plan: TriplePlan, signal: AbortSignal): Promise<TripleSet>;
  cancel(triple_set_id: string): void;
  /** Goes on with a set that was cut short: asks for what is missing only. */
  resume(triple_set_id: string): TripleSetSummary;
  /** Brings in triples that were made elsewhere, for one clip. */
  bringIn(
    plan: Omit<TriplePlan, "perceiver" | "question">,
    file: { name: string; text: string },
  ): ImportedTriples;
  edit(triple_set_id: string, index: number, after: TripleFields): TripleEdit | null;
  /** Takes back the last edit that stands, of one triple or of the set; null when none does. */
  undo(triple_set_id: string, index: number | null): TripleEdit | null;
  /** Every change of one triple, oldest first. */
  listEdits(triple_set_id: string, index: number): TripleEdit[];
  trash(triple_set_id: string): void;
  restore(triple_set_id: string): void;
  /** Rings at every change of any set. */
  bell: Bell;
  /** Goes on with what an earlier server left. */
  startUp(): void;
};

export type TripleParts = {
  store: TripleStore;
  jobs: Jobs;
  log: Logger;
  perceivers: Partial<Record<Perceiver["kind"], Perceive>>;
  canPerceive(clip_id: string, kind: Perceiver["kind"]): boolean;
  /** The perceiver in words. */
  nameModel(perceiver: Perceiver): string;
  getClipName(clip_id: string): string;
  /** Null where the key-frames are not stored. */
  getSelection(clip_id: string, settings_hash: string): KeyFrameSelection | null;
  /** The newest version of a selection by default, as people corrected it; throws where it is not stored. */
  getVersion(clip_id: string, settings_hash: string, version?: number): SelectionVersion;
  lookAtMotions: Decisions["lookAtMotions"];
  /** Who changes triples. */
  getAuthor(): string;
  estimateCalls(plan: TriplePlan, key_frames: readonly KeyFrame[]): Omit<TripleEstimate, "key_frames">;
};

const ABANDONED = "Its state could not be written to the disk. See that there is room, then resume.";

export function createTripleService(parts: TripleParts): Triples {
  const { store, jobs, log, perceivers } = parts;
  const bell = createBell();
  const working = new Map<string, { job: Job; ended: Promise<Job> }>();

  const find = (triple_set_id: string): SetRow => {
    const row = store.getSet(triple_set_id);
    if (!row) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such set of triples." });
    return row;
  };

  const summarise = (row: SetRow): TripleSetSummary => {
    const {
      key_frames,
      motions: _m,
      trashed_secs: _t,
      calls,
      cached,
      prompt_tokens,
      completion_tokens,
      secs,
      ...rest
    } = row;
    // The last word on a set that nobody works on any more could not be written down.
    const isAbandoned = row.state === "working" && !working.has(row.triple_set_id);
    return {
      ...rest,
      ...(isAbandoned && { state: "failed" as const, problem: ABANDONED }),
      key_frames: key_frames.length,
      described: store.countTriples(row.triple_set_id),
      edits: listStanding(store.listEdits(row.triple_set_id)).length,
      cost: { calls, cached, prompt_tokens, completion_tokens, secs },
    };
  };

  const get = (triple_set_id: string): TripleSet => {
    const row = find(triple_set_id);
    const standing = listStanding(store.listEdits(triple_set_id));
    const triples = store.listTriples(triple_set_id).map((given): KnownTriple => {
      const index = given.key_frame;
      const edits = standing.filter(({ key_frame }) => key_frame === index);
      const fields = applyEdits(given, edits);
      const motion = row.motions?.[index] ?? null;
      const { frame = 0, time_secs = 0 } = row.key_frames[index] ?? {};
      const problems = edits.length === 0 ? given.problems : findProblems(fields);
      return {
        index,
        frame,
        time_secs,
        ...fields,
        raw: given.raw,
        problems: contradictsGeometry(fields.action, motion)
          ? [...problems, "contradicts_geometry"]
          : problems,
        motion,
        edits: edits.length,
      };
    });
    return { ...summarise(row), triples };
  };

  const getKeyFrames = (
    { clip_id, settings_hash }: Pick<TriplePlan, "clip_id" | "settings_hash">,
    version?: number,
  ): Described => {
    const found = parts.getVersion(clip_id, settings_hash, version);
    const key_frames = found.key_frames.map(({ frame, time_secs }): KeyFrame => ({ frame, time_secs }));
    if (key_frames.length === 0) {
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "This clip has no stored key-frames under these settings. Save them first.",
      });
    }
    return { key_frames, selection_version: found.version };
  };

  /** Geometry's word, kept with the set. Where it can't look, the triples stand without it. */
  const lookAtMotions = async (
    { triple_set_id, clip_id, settings_hash, key_frames }: SetRow,
    signal: AbortSignal,
  ): Promise<(Motion | null)[]> => {
    try {
      const frames = key_frames.map(({ frame }) => frame);
      const motions = await parts.lookAtMotions(clip_id, settings_hash, frames, signal);
      if (motions !== null) store.updateSet(triple_set_id, { motions });
      return motions ?? [];
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, triple_set_id }, "looking at the camera's motion");
      return [];
    }
  };

  const run = (row: SetRow): void => {
    const { triple_set_id, clip_id, settings_hash, perceiver, key_frames, question } = row;
    const title = `Triples of ${parts.getClipName(clip_id)} by ${row.label}`;
    const { job, ended } = jobs.start(
      { kind: "perceive", title, clip_id },
      async ({ signal, begin, progress }) => {
        begin();
        const began = performance.now();
        const known = new Set(store.listTriples(triple_set_id).map(({ key_frame }) => key_frame));
        const missing = key_frames.flatMap((_, index) => (known.has(index) ? [] : [index]));
        progress(known.size, key_frames.length);
        try {
          const selection = parts.getSelection(clip_id, settings_hash);
          let looking: Promise<(Motion | null)[]> | null = row.motions && Promise.resolve(row.motions);
          const motions = () => {
            looking ??= lookAtMotions(row, signal);
            return looking;
          };
          const perceive = perceivers[perceiver.kind];
          if (!perceive) throw new Error(`Sets that were ${perceiver.kind} are not made anew.`);
          await perceive({
            clip_id,
            perceiver,
            selection,
            key_frames,
            missing,
            question,
            motions,
            signal,
            report: (done) => progress(known.size + done, key_frames.length),
            put(index, triple, cost = {}) {
              store.insertTriples([{ triple_set_id, key_frame: index, ...triple }]);
              store.addCost(triple_set_id, cost);
              known.add(index);
              progress(known.size, key_frames.length);
              bell.ring();
            },
          });
          signal.throwIfAborted();
          // Last, so that it takes no time from those who only ask.
          await motions();
          signal.throwIfAborted();
        } finally {
          store.addCost(triple_set_id, { secs: (performance.now() - began) / 1000 });
        }
      },
    );
    const settled = ended.then((last) => {
      working.delete(triple_set_id);
      // What a closing server cut short is gone on with by the next one.
      if (jobs.isClosing && last.state === "cancelled") return last;
      const state = last.state === "done" || last.state === "cancelled" ? last.state : "failed";
      store.updateSet(triple_set_id, { state, problem: last.problem });
      bell.ring();
      return last;
    });
    settled.catch((error: unknown) => log.error({ err: error, triple_set_id }, "ending a set of triples"));
    working.set(triple_set_id, { job, ended: settled });
  };

  const create = (
    plan: TriplePlan,
    { key_frames, selection_version }: Described,
    state: SetRow["state"],
  ): SetRow => {
    const { clip_id, settings_hash, perceiver, question_id, question } = plan;
    return {
      triple_set_id: randomUUID(),
      clip_id,
      settings_hash,
      selection_version,
      question_id,
      question,
      perceiver,
      label: parts.nameModel(perceiver),
      key_frames,
      motions: null,
      state,
      problem: null,
      made_secs: Date.now() / 1000,
      trashed_secs: null,
      calls: 0,
      cached: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      secs: 0,
    };
  };

  const begin = (plan: TriplePlan): string => {
    const row = create(plan, getKeyFrames(plan), "working");
    store.insertSet(row);
    run(row);
    bell.ring();
    return row.triple_set_id;
  };

  /** A set that is being made by the same plan, as after a restart; null without any. */
  const findWorking = ({ clip_id, settings_hash, perceiver, question_id, question }: TriplePlan) => {
    const newest = parts.getVersion(clip_id, settings_hash).version;
    const found = store
      .listSets(clip_id)
      .find(
        (row) =>
          working.has(row.triple_set_id) &&
          isDeepStrictEqual(
            [row.settings_hash, row.selection_version, row.perceiver, row.question_id, row.question],
            [settings_hash, newest, perceiver, question_id, question],
          ),
      );
    return found?.triple_set_id ?? null;
  };

  const addEdit = (
    triple_set_id: string,
    index: number,
    after: TripleFields,
    undoes: number | null,
  ): TripleEdit => {
    const { action, change, relevant } = getTriple(triple_set_id, index);
    const edit = {
      triple_set_id,
      key_frame: index,
      author: parts.getAuthor(),
      before: { action, change, relevant },
      after,
      undoes,
    };
    const edit_id = store.addEdit(edit);
    bell.ring();
    return toEdit({ ...edit, edit_id, made_secs: Date.now() / 1000 });
  };

  const getTriple = (triple_set_id: string, index: number): KnownTriple => {
    const triple = get(triple_set_id).triples.find((one) => one.index === index);
    if (!triple)
      throw new TRPCError({ code: "NOT_FOUND", message: "This key-frame has no triple in this set yet." });
    return triple;
  };

  return {
    bell,
    listPerceivers: (clip_id) =>
      (Object.keys(perceivers) as Perceiver["kind"][]).filter((kind) => parts.canPerceive(clip_id, kind)),
    list: (clip_id) => store.listSets(clip_id).map(summarise),
    listTrashed: (clip_id) => store.listTrashed(clip_id).map(summarise),
    get,
    tallyPerceiver(triple_set_id) {
      const sets = store.listOfLabel(find(triple_set_id).label);
      const tally = tallyTriples(sets.flatMap((row) => get(row.triple_set_id).triples));
      return { clips: sets.length, tally };
    },
    estimate(plan) {
      const { key_frames } = getKeyFrames(plan);
      return { key_frames: key_frames.length, ...parts.estimateCalls(plan, key_frames) };
    },
    start: (plan) => summarise(find(begin(plan))),
    async make(plan, signal) {
      signal.throwIfAborted();
      const begun = findWorking(plan);
      const triple_set_id = begun ?? begin(plan);
      const entry = working.get(triple_set_id);
      // What somebody else began goes on without us.
      const stop = () => begun === null && entry && jobs.cancel(entry.job.job_id);
      signal.addEventListener("abort", stop, { once: true });
      const job = await entry?.ended;
      signal.removeEventListener("abort", stop);
      signal.throwIfAborted();
      if (job?.state !== "done") throw new Error(job?.problem ?? "The triples were cancelled.");
      return get(triple_set_id);
    },
    cancel(triple_set_id) {
      const entry = working.get(find(triple_set_id).triple_set_id);
      if (entry) jobs.cancel(entry.job.job_id);
    },
    resume(triple_set_id) {
      const row = find(triple_set_id);
      if (!working.has(triple_set_id) && row.state !== "done") {
        store.updateSet(triple_set_id, { state: "working", problem: null });
        run(row);
        bell.ring();
      }
      return summarise(find(triple_set_id));
    },
    bringIn({ clip_id, settings_hash, question_id }, { name, text }) {
      // What was made elsewhere knows of nobody's corrections, or of all.
      const newest = getKeyFrames({ clip_id, settings_hash });
      const versions =
        newest.selection_version === 0 ? [newest] : [newest, getKeyFrames({ clip_id, settings_hash }, 0)];
      const read = readFile(text);
      const clip_name = stripExtension(parts.getClipName(clip_id));
      const imported: ImportedTriples = { triple_set_ids: [], set_aside: read.set_aside, others: 0 };
      for (const { id, clip_name: named, question, triples } of read.descriptions) {
        if (named !== null && stripExtension(named) !== clip_name) {
          imported.others += 1;
          continue;
        }
        const own = triples.every(({ frame }) => frame !== null);
        const described = versions
          .map(({ key_frames, selection_version }) => {
            const frames = own
              ? triples.map(({ frame }) => key_frames.find((one) => one.frame === frame))
              : triples.length === key_frames.length
                ? key_frames
                : [];
            return { key_frames: frames.filter((frame) => frame !== undefined), selection_version };
          })
          .find(({ key_frames }) => key_frames.length > 0 && key_frames.length === triples.length);
        if (described === undefined) {
          const reason = own
            ? "It describes frames that are no key-frames under these settings."
            : `It describes ${triples.length} key-frames; under these settings the clip has ${newest.key_frames.length}. Released files go with the preset embodied-r.`;
          imported.set_aside.push({ id, reason });
          continue;
        }
        const perceiver: Perceiver = { kind: "imported", source: name };
        const row = create({ clip_id, settings_hash, perceiver, question_id, question }, described, "done");
        const { triple_set_id } = row;
        store.bringIn(
          row,
          triples.map(({ frame: _, index: key_frame, ...triple }) => ({
            triple_set_id,
            key_frame,
            ...triple,
          })),
        );
        imported.triple_set_ids.push(triple_set_id);
      }
      bell.ring();
      return imported;
    },
    edit(triple_set_id, index, { action, change, relevant }) {
      const now = getTriple(triple_set_id, index);
      const after: TripleFields = {
        action: index === 0 ? null : action,
        change: change.trim(),
        relevant: relevant.trim(),
      };
      const isSame =
        now.action === after.action && now.change === after.change && now.relevant === after.relevant;
      return isSame ? null : addEdit(triple_set_id, index, after, null);
    },
    undo(triple_set_id, index) {
      find(triple_set_id);
      const last = listStanding(store.listEdits(triple_set_id)).findLast(
        ({ key_frame }) => index === null || key_frame === index,
      );
      return last ? addEdit(triple_set_id, last.key_frame, last.before, last.edit_id) : null;
    },
    listEdits: (triple_set_id, index) =>
      store
        .listEdits(find(triple_set_id).triple_set_id)
        .filter(({ key_frame }) => key_frame === index)
        .map(toEdit),
    trash(triple_set_id) {
      const entry = working.get(find(triple_set_id).triple_set_id);
      if (entry) jobs.cancel(entry.job.job_id);
      store.updateSet(triple_set_id, { trashed_secs: Date.now() / 1000 });
      bell.ring();
    },
    restore(triple_set_id) {
      store.updateSet(find(triple_set_id).triple_set_id, { trashed_secs: null });
      bell.ring();
    },
    startUp() {
      for (const row of store.listWorking()) run(row);
    },
  };
}

/** What is wrong with a triple that a person wrote. */
function findProblems({ change, relevant }: TripleFields): TripleProblem[] {
  return leaksAnswer(`${change} ${relevant}`) ? ["leaked_answer"] : [];
}

function toEdit({ triple_set_id: _, key_frame, ...edit }: EditRow): TripleEdit {
  return { ...edit, index: key_frame };
}

const stripExtension = (name: string) => name.replace(/\.[a-z0-9]{1,5}$/i, "");

function readFile(text: string) {
  try {
    return readTriplesFile(text);
  } catch (error) {
    throw new TRPCError({ code: "BAD_REQUEST", message: (error as Error).message });
  }
}
