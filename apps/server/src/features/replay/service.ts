import { randomUUID } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import {
  compileFormula,
  createReplayTally,
  type Flip,
  type FormulaFault,
  isSamePlan,
  type QuestionFacts,
  type Replay,
  type ReplayedGroup,
  type Replayer,
  type ReplayFlip,
  readQuestionFacts,
  replayGroups,
} from "@sightline/core/replay";
import { readRewardScale } from "@sightline/core/rewards";
import { lastStepKept, type RunDetail } from "@sightline/core/runs";
import { normalise } from "@sightline/core/schedules";
import { TRPCError } from "@trpc/server";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import { type Bell, createBell } from "../../live/follow.ts";
import type { JobControl, Jobs } from "../jobs/tray.ts";
import { parseFormula } from "./parse-formula.ts";
import type { Place, ReplayDraft, ReplayRecord, ReplayStore, StoredCompletion } from "./store.ts";

/** Stored completions scored anew, kept under a name. */
export type Replays = {
  /** Of a run, newest first, without their summaries. */
  list(run_id: string): Replay[];
  get(replay_id: string): Replay;
  /** Begins; the answer comes before it is done. */
  start(draft: ReplayDraft): Replay;
  cancel(replay_id: string): void;
  remove(replay_id: string): void;
  restore(replay_id: string): void;
  flips(
    replay_id: string,
    filter: { flip: Flip | null; task: string | null; offset: number; limit: number },
  ): { rows: ReplayFlip[]; total: number };
  /** What is wrong with a formula; null when it can be used. */
  check(formula: string): FormulaFault | null;
  /** Rings at every change of any replay. */
  bell: Bell;
  /** Goes on with what an earlier server left, from its start. */
  startUp(): void;
};

/** Completions that are read at once: scoring them holds the server up for some milliseconds. */
const SLICE = 96;
const PIECE_BYTES = 4 * 1_048_576;
/** Longer files of questions are read up to here; the options of the rest are then not known. */
const MOST_BYTES = 64 * 1_048_576;

export function createReplayService({
  store,
  jobs,
  getRun,
  readFile,
  getAuthor,
}: {
  store: ReplayStore;
  jobs: Jobs;
  /** Throws a TRPCError where there is no such run. */
  getRun(run_id: string): RunDetail;
  /** Bytes of a file of the run directory on its host. */
  readFile(
    run_id: string,
    path: string,
    offset: number,
    max_bytes: number,
    signal: AbortSignal,
  ): Promise<Buffer>;
  getAuthor(): string;
}): Replays {
  const bell = createBell();
  const running = new Map<string, { job_id: string; done: number }>();
  /** Why those failed whose end could not be written, on a full disk for instance. The next server begins them anew. */
  const unwritten = new Map<string, string>();

  const find = (replay_id: string): ReplayRecord => {
    const found = store.get(replay_id);
    if (!found) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such replay." });
    return found;
  };
  const show = ({ upto_id: _, ...record }: ReplayRecord): Replay => ({
    ...record,
    ...(unwritten.has(record.replay_id) && {
      state: "failed",
      problem: unwritten.get(record.replay_id) ?? null,
    }),
    done: record.state === "done" ? record.total : (running.get(record.replay_id)?.done ?? 0),
  });

  /** Options as the run was given them. Where its host has no such file, or can't be asked, they are not known. */
  const readQuestions = async (run_id: string, signal: AbortSignal): Promise<Map<string, QuestionFacts>> => {
    const found = new Map<string, QuestionFacts>();
    for (const path of ["data/train.jsonl", "data/eval.jsonl"]) {
      const pieces: Buffer[] = [];
      let length = 0;
      try {
        for (;;) {
          const piece = await readFile(run_id, path, length, PIECE_BYTES, signal);
          pieces.push(piece);
          length += piece.length;
          if (piece.length < PIECE_BYTES || length >= MOST_BYTES) break;
        }
      } catch {
        signal.throwIfAborted();
        continue;
      }
      for (const [key, facts] of readQuestionFacts(Buffer.concat(pieces).toString("utf8")))
        found.set(key, facts);
    }
    return found;
  };

  const toReplayer = ({ run_id, plan }: Pick<ReplayRecord, "run_id" | "plan">): Replayer => {
    const { formula, fault } =
      plan.formula === null ? { formula: null, fault: null } : compileFormula(plan.formula, parseFormula);
    if (fault !== null)
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: `The formula can't be used, at character ${fault.from + 1}: ${fault.message}`,
      });
    for (const [stage, weights] of (plan.weights ?? []).entries())
      if (normalise(weights) === null)
        throw new TRPCError({ code: "BAD_REQUEST", message: `The weights of stage ${stage + 1} are all 0.` });
    const { settings } = getRun(run_id).spec;
    return {
      plan,
      formula,
      own_rules: settings.rule_set === "embodied-r" ? "embodied-r" : "sightline",
      scale: readRewardScale(settings),
    };
  };

  const score = async (record: ReplayRecord, replayer: Replayer, control: JobControl) => {
    const { replay_id, run_id, upto_id, total } = record;
    const { attempts } = getRun(run_id);
    const known = attempts.map((one) => ({ ...one, first_step: null }));
    const questions =
      record.plan.rules === "sightline"
        ? await readQuestions(run_id, control.signal)
        : new Map<string, QuestionFacts>();
    const tally = createReplayTally(isSamePlan(record.plan, replayer.own_rules));
    store.forgetFlips(replay_id);
    let flipped: Parameters<ReplayStore["addFlips"]>[1][number][] = [];

    const take = (all: readonly StoredCompletion[]) => {
      const [first] = all;
      if (!first || first.line.step > lastStepKept(known, first.line.attempt)) return;
      for (const generation of splitGenerations(all)) {
        const groups = splitGroups(generation);
        const scored = replayGroups(
          groups.map((group) => ({
            lines: group.map(({ line }) => line),
            question: questions.get(group[0]?.line.question_id ?? "") ?? null,
          })),
          replayer,
        );
        groups.forEach((group, at) => {
          const replayed = scored[at];
          if (replayed) keep(group, replayed);
        });
      }
    };
    const keep = (group: readonly StoredCompletion[], replayed: ReplayedGroup) => {
      tally.add(
        group.map(({ id }) => id),
        group.map(({ line }) => line),
        replayed,
      );
      replayed.completions.forEach(({ before, after, flips }, k) => {
        const one = group[k];
        if (one && flips.length > 0)
          flipped.push({
            id: one.id,
            step: one.line.step,
            task: one.line.task,
            flips,
            sides: [before, after],
          });
      });
    };
    // The deviation of a batch is that of all groups of a step.
    const isSame = replayer.scale === "batch" ? isSameStep : isSameGroup;

    let at: Place | null = null;
    let open: StoredCompletion[] = [];
    let done = 0;
    for (;;) {
      control.signal.throwIfAborted();
      const rows = store.next(run_id, at, upto_id, SLICE);
      for (const row of rows) {
        if (open[0] && !isSame(open[0], row)) {
          take(open);
          open = [];
        }
        open.push(row);
      }
      const last = rows.at(-1);
      if (!last) break;
      const { step, attempt, group_id, k } = last.line;
      at = { step, attempt, group_id, k, id: last.id };
      done += rows.length;
      if (flipped.length > 0) store.addFlips(replay_id, flipped);
      flipped = [];
      const entry = running.get(replay_id);
      if (entry) entry.done = done;
      control.progress(done, total);
      bell.ring();
      await breathe();
    }
    take(open);
    if (flipped.length > 0) store.addFlips(replay_id, flipped);
    return tally.summary();
  };

  const work = (record: ReplayRecord) => {
    const { replay_id, name } = record;
    const { job } = jobs.start(
      { kind: "replay", title: `Scoring anew: ${name}`, clip_id: null },
      async (control) => {
        try {
          control.begin();
          // The caller puts it among those running first.
          await breathe();
          const summary = await score(record, toReplayer(record), control);
          store.end(replay_id, "done", null, summary);
        } catch (error) {
          // What the server's own end broke off begins anew with the next one.
          if (!jobs.isClosing) {
            const problem = control.signal.aborted ? null : explainFailure(error);
            try {
              store.end(replay_id, problem === null ? "cancelled" : "failed", problem, null);
            } catch (unsaid) {
              unwritten.set(replay_id, problem ?? explainFailure(unsaid));
            }
          }
          throw error;
        } finally {
          running.delete(replay_id);
          bell.ring();
        }
      },
    );
    running.set(replay_id, { job_id: job.job_id, done: 0 });
    bell.ring();
  };

  return {
    bell,
    list: (run_id) => store.list(run_id).map(show),
    get: (replay_id) => show(find(replay_id)),
    start(draft) {
      toReplayer(draft);
      const extent = store.extent(draft.run_id);
      if (extent.total === 0)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: "This run has written no completions yet, so there is nothing to score.",
        });
      const replay = {
        ...draft,
        ...extent,
        replay_id: randomUUID(),
        author: getAuthor(),
        made_secs: Date.now() / 1000,
      };
      store.add(replay);
      const record = find(replay.replay_id);
      work(record);
      return show(record);
    },
    cancel(replay_id) {
      find(replay_id);
      const entry = running.get(replay_id);
      if (entry) jobs.cancel(entry.job_id);
    },
    remove(replay_id) {
      find(replay_id);
      const entry = running.get(replay_id);
      if (entry) jobs.cancel(entry.job_id);
      store.setRemoved(replay_id, true);
      bell.ring();
    },
    restore(replay_id) {
      if (!store.setRemoved(replay_id, false))
        throw new TRPCError({ code: "NOT_FOUND", message: "There is no such replay." });
      bell.ring();
    },
    flips(replay_id, filter) {
      find(replay_id);
      return store.flips(replay_id, filter);
    },
    check: (formula) => compileFormula(formula, parseFormula).fault,
    startUp() {
      for (const record of store.working()) work(record);
    },
  };
}

function isSameStep({ line: a }: StoredCompletion, { line: b }: StoredCompletion): boolean {
  return a.step === b.step && a.attempt === b.attempt;
}

function isSameGroup(a: StoredCompletion, b: StoredCompletion): boolean {
  return isSameStep(a, b) && a.line.group_id === b.line.group_id;
}

/** A trainer that names groups alike in two generations of a step has two groups all the same. */
function splitGenerations(all: readonly StoredCompletion[]): StoredCompletion[][] {
  return split(all, ({ line }) => `${line.gen} ${line.split ?? "train"}`);
}

function splitGroups(generation: readonly StoredCompletion[]): StoredCompletion[][] {
  return split(generation, ({ line }) => line.group_id);
}

function split(
  all: readonly StoredCompletion[],
  keyOf: (one: StoredCompletion) => string,
): StoredCompletion[][] {
  const found = new Map<string, StoredCompletion[]>();
  for (const one of all) {
    const own = found.get(keyOf(one));
    if (own) own.push(one);
    else found.set(keyOf(one), [one]);
  }
  return [...found.values()];
}
