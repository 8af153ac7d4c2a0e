import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  contradictsGeometry,
  type KnownTriple,
  leaksAnswer,
  type Perceiver,
  type TripleEdit,
  type TripleFields,
  type TripleProblem,
  type TripleSet,
  type TripleSetSummary,
  tallyTriples,
} from "@sightline/core/perception";
import { TRPCError } from "@trpc/server";
import { createBell } from "../../live/follow.ts";
import { bringIn } from "./bring-in.ts";
import { createMakers } from "./making.ts";
import { applyEdits, type EditRow, listStanding, type SetRow } from "./store.ts";
import type { KeyFrame } from "./tables.ts";
import type { Described, TripleParts, TriplePlan, Triples } from "./types.ts";

const ABANDONED = "Its state could not be written to the disk. See that there is room, then resume.";

export function createTripleService(parts: TripleParts): Triples {
  const { store, jobs, perceivers } = parts;
  const bell = createBell();
  const makers = createMakers(parts, bell);

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
    const isAbandoned = row.state === "working" && makers.get(row.triple_set_id) === null;
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
    makers.run(row);
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
          makers.get(row.triple_set_id) !== null &&
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
      const entry = makers.get(triple_set_id);
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
      const entry = makers.get(find(triple_set_id).triple_set_id);
      if (entry) jobs.cancel(entry.job.job_id);
    },
    resume(triple_set_id) {
      const row = find(triple_set_id);
      if (makers.get(triple_set_id) === null && row.state !== "done") {
        store.updateSet(triple_set_id, { state: "working", problem: null });
        makers.run(row);
        bell.ring();
      }
      return summarise(find(triple_set_id));
    },
    bringIn({ clip_id, settings_hash, question_id }, file) {
      // What was made elsewhere knows of nobody's corrections, or of all.
      const newest = getKeyFrames({ clip_id, settings_hash });
      const versions =
        newest.selection_version === 0 ? [newest] : [newest, getKeyFrames({ clip_id, settings_hash }, 0)];
      const imported = bringIn(store, file, {
        clip_name: parts.getClipName(clip_id),
        versions,
        create: (perceiver, question, described) =>
          create({ clip_id, settings_hash, perceiver, question_id, question }, described, "done"),
      });
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
      const entry = makers.get(find(triple_set_id).triple_set_id);
      if (entry) jobs.cancel(entry.job.job_id);
      store.updateSet(triple_set_id, { trashed_secs: Date.now() / 1000 });
      bell.ring();
    },
    restore(triple_set_id) {
      store.updateSet(find(triple_set_id).triple_set_id, { trashed_secs: null });
      bell.ring();
    },
    startUp() {
      for (const row of store.listWorking()) makers.run(row);
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
