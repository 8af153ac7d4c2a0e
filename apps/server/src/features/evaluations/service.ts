import { randomUUID } from "node:crypto";
import { ASK_PROMPT_VERSION, TINY_PROMPT_VERSION } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import {
  canBeAskedAgain,
  type Evaluation,
  type EvaluationRow,
  guessByPrior,
  type HostPlan,
} from "@sightline/core/evaluations";
import type { Trace } from "@sightline/core/traces";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import { explainFailure, isDiskFull } from "../../data-folder/explain-failure.ts";
import { type Bell, createBell } from "../../live/follow.ts";
import type { Jobs } from "../jobs/tray.ts";
import { makeCard, nameQuestions } from "./card.ts";
import type { OnHosts } from "./on-hosts.ts";
import { FRAMES, type HostDraft, type HostStart } from "./start-on-host.ts";
import type { EvaluationRecord, EvaluationStore, RowRecord } from "./store.ts";

export type EvaluationDraft = Pick<EvaluationRecord, "name" | "set_id" | "side" | "reasoner" | "judge">;

/** What is asked of a model behind an endpoint for one question. */
type Ask = {
  clip_id: string;
  question_id: string;
  triple_set_id: string;
  struck: [];
  asked_after: null;
  reasoner: Extract<Evaluation["reasoner"], { kind: "openai" }>;
  judge: Evaluation["judge"];
};

/** Triples that several questions on one clip wait for; they are given up when nobody waits any more. */
type Making = { made: Promise<string>; stop: AbortController; waiting: number };

const ABANDONED = "Its state could not be written to the disk. See that there is room, then resume.";

/** Answers of one reasoner to a set of questions: by the server for endpoints, by an open page for policies. */
export type Evaluations = {
  list(): Evaluation[];
  get(evaluation_id: string): Evaluation & { rows: EvaluationRow[] };
  /** Begins; for an endpoint the server works by itself. */
  start(draft: EvaluationDraft): Evaluation;
  /** What of a set a model on a host can be asked. */
  planOnHost(draft: Omit<HostDraft, "name">): Promise<HostPlan>;
  /** Begins as a run on a host. */
  startOnHost(draft: HostDraft): Promise<Evaluation>;
  cancel(evaluation_id: string): Promise<void>;
  /** Goes on with what is left; of an endpoint that is also what it failed at. */
  resume(evaluation_id: string): Promise<Evaluation>;
  /** Triples to ask a question over: the newest that are whole, else made now from the pictures. */
  prepare(evaluation_id: string, question_id: string, signal: AbortSignal): Promise<string>;
  /** Puts down what the open page made of one question; with the last one the evaluation is done. */
  put(
    evaluation_id: string,
    question_id: string,
    outcome: { trace_id: string | null; problem: string | null },
  ): void;
  /** Rings at every change of any evaluation. */
  bell: Bell;
  /** A run has changed or written something; the empty id stands for all. */
  noteRun(run_id: string): void;
  /** Goes on with what an earlier server left. */
  startUp(): void;
};

/** Questions that are asked at the same time; the endpoint's own limit holds as well. */
const AT_ONCE = 16;

export function createEvaluationService({
  store,
  jobs,
  log,
  listQuestions,
  findTriples,
  makeTriples,
  askAndWait,
  getTrace,
  onHosts,
  hostStart,
  stopRun,
  resumeRun,
}: {
  store: EvaluationStore;
  jobs: Jobs;
  log: Logger;
  /** Of a set, in order; throws a TRPCError where there is none. */
  listQuestions(set_id: string): StoredQuestion[];
  /** The newest set of triples that is whole; null without any. */
  findTriples(clip_id: string): string | null;
  /** Makes triples from the pictures. Rejects with a sentence. */
  makeTriples(clip_id: string, signal: AbortSignal): Promise<string>;
  askAndWait(ask: Ask, signal: AbortSignal): Promise<Trace>;
  getTrace(trace_id: string): Trace;
  /** What runs on hosts evaluate; they are looked after as runs. */
  onHosts: OnHosts;
  hostStart: HostStart;
  stopRun(run_id: string): Promise<void>;
  resumeRun(run_id: string): Promise<unknown>;
}): Evaluations {
  const bell = createBell();
  const running = new Map<string, string>();
  const making = new Map<string, Making>();

  const find = (evaluation_id: string): EvaluationRecord => {
    const found = store.get(evaluation_id);
    if (!found) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such evaluation." });
    return found;
  };
  /** True where the last word on an evaluation could not be written down: nobody works on it any more. */
  const isAbandoned = ({ evaluation_id, state, reasoner }: EvaluationRecord) =>
    state === "working" && reasoner.kind === "openai" && !running.has(evaluation_id);
  const show = (record: EvaluationRecord): Evaluation => ({
    ...record,
    card: null,
    ...(isAbandoned(record) && { state: "failed" as const, problem: ABANDONED }),
    ...store.count(record.evaluation_id),
  });

  const showRow = ({ evaluation_id: _, ...row }: RowRecord, prior: string | null): EvaluationRow => {
    const trace = row.trace_id === null ? null : getTrace(row.trace_id);
    const nothing = { letter: null, accuracy: null, format: null, tokens: null, agrees: null };
    if (trace === null)
      return { ...row, ...nothing, prior, state: row.problem === null ? "waiting" : "left_out" };
    const { state, problem, reading, accuracy, judgement, tokens } = trace;
    return {
      ...row,
      prior,
      tokens,
      format: reading === null ? null : Number(reading.problems.length === 0),
      state: state === "done" ? "answered" : "failed",
      problem,
      letter: reading?.letter ?? null,
      accuracy,
      agrees: judgement?.status === "ok" ? judgement.agrees : null,
    };
  };

  const forget = (clip_id: string, one: Making) => {
    if (making.get(clip_id) === one) making.delete(clip_id);
  };
  const beginMaking = (clip_id: string): Making => {
    const stop = new AbortController();
    const one: Making = { made: makeTriples(clip_id, stop.signal), stop, waiting: 0 };
    making.set(clip_id, one);
    one.made.then(
      () => forget(clip_id, one),
      () => forget(clip_id, one),
    );
    return one;
  };

  const prepare = async (clip_id: string, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    const found = findTriples(clip_id);
    if (found !== null) return found;
    const one = making.get(clip_id) ?? beginMaking(clip_id);
    one.waiting += 1;
    const left = new AbortController();
    try {
      return await Promise.race([one.made, rejectOnAbort(signal, left.signal)]);
    } finally {
      left.abort();
      one.waiting -= 1;
      if (one.waiting === 0) {
        one.stop.abort();
        forget(clip_id, one);
      }
    }
  };

  const finish = (evaluation_id: string) => {
    if (store.count(evaluation_id).waiting === 0) store.setState(evaluation_id, "done", null);
    bell.ring();
  };

  const askOne = async (record: EvaluationRecord, row: RowRecord, signal: AbortSignal) => {
    const { evaluation_id, reasoner, judge } = record;
    const { question_id, clip_id } = row;
    if (reasoner.kind !== "openai" || clip_id === null) return;
    try {
      const triple_set_id = await prepare(clip_id, signal);
      const ask: Ask = {
        clip_id,
        question_id,
        triple_set_id,
        struck: [],
        asked_after: null,
        reasoner,
        judge,
      };
      const trace = await askAndWait(ask, signal);
      if (signal.aborted) return;
      store.put(evaluation_id, question_id, { trace_id: trace.trace_id, problem: null });
    } catch (error) {
      if (signal.aborted) return;
      // That is no answer to this question: it is asked again once there is room.
      if (isDiskFull(error)) throw error;
      const problem = explainFailure(error);
      store.put(evaluation_id, question_id, { trace_id: null, problem });
    }
    bell.ring();
  };

  const work = (record: EvaluationRecord) => {
    const { evaluation_id, name } = record;
    if (record.reasoner.kind !== "openai" || running.has(evaluation_id)) return;
    const about = { kind: "evaluate", title: `Evaluating ${name}`, clip_id: null } as const;
    const { job, ended } = jobs.start(about, async ({ signal, begin, progress }) => {
      begin();
      const rows = store.listRows(evaluation_id);
      const left = rows.filter(({ trace_id, problem }) => trace_id === null && problem === null);
      let done = rows.length - left.length;
      progress(done, rows.length);
      const next = left[Symbol.iterator]();
      const broken = new AbortController();
      const either = AbortSignal.any([signal, broken.signal]);
      const worker = async () => {
        for (const row of next) {
          either.throwIfAborted();
          await askOne(record, row, either);
          done += 1;
          progress(done, rows.length);
        }
      };
      const workers = Array.from({ length: Math.min(AT_ONCE, left.length) }, () =>
        worker().catch((error: unknown) => broken.abort(error)),
      );
      await Promise.all(workers);
      either.throwIfAborted();
    });
    running.set(evaluation_id, job.job_id);
    ended
      .then(({ state, problem }) => {
        running.delete(evaluation_id);
        // A server that goes down leaves it as working, and goes on at its next start.
        if (jobs.isClosing) return;
        bell.ring();
        if (state === "done") finish(evaluation_id);
        else store.setState(evaluation_id, state === "cancelled" ? "cancelled" : "failed", problem);
        bell.ring();
      })
      .catch((error: unknown) => log.error({ err: error, evaluation_id }, "ending an evaluation"));
  };

  return {
    bell,
    noteRun(run_id) {
      if (run_id !== "" && onHosts.isEvaluation(run_id)) bell.ring();
    },
    list: () =>
      [...store.list().map(show), ...onHosts.list()].sort((one, other) => other.made_secs - one.made_secs),
    get(evaluation_id) {
      const on_host = onHosts.get(evaluation_id);
      if (on_host !== null) return on_host;
      const record = find(evaluation_id);
      const questions = listQuestions(record.set_id);
      const guesses = guessByPrior(questions);
      const prior = new Map(questions.map(({ question_id }, at) => [question_id, guesses[at] ?? null]));
      const rows = store.listRows(evaluation_id);
      return {
        ...show(record),
        card: toCard(record, rows),
        rows: rows.map((row) => showRow(row, prior.get(row.question_id) ?? null)),
      };
    },
    start(draft) {
      const questions = listQuestions(draft.set_id).filter(
        ({ split, trashed_secs }) => trashed_secs === null && (draft.side === null || split === draft.side),
      );
      if (questions.length === 0) {
        throw new TRPCError({ code: "BAD_REQUEST", message: "There are no questions to ask in this set." });
      }
      const evaluation_id = randomUUID();
      const record: EvaluationRecord = {
        ...draft,
        evaluation_id,
        state: "working",
        problem: null,
        made_secs: Date.now() / 1000,
      };
      const rows = questions.map(
        ({ question_id, clip_id, match, task, text, gold }, place): RowRecord => ({
          evaluation_id,
          question_id,
          place,
          clip_id,
          task,
          text,
          gold,
          trace_id: null,
          problem:
            clip_id !== null
              ? null
              : match === "ambiguous"
                ? "Several clips of the library have its clip's name; say which one is meant."
                : "Its clip is not in the library.",
        }),
      );
      store.add(record, rows);
      finish(evaluation_id);
      work(record);
      return show(find(evaluation_id));
    },
    planOnHost: hostStart.plan,
    async startOnHost(draft) {
      const { run_id } = await hostStart.start(draft);
      bell.ring();
      const evaluation = onHosts
        .list()
        .find(({ reasoner }) => reasoner.kind === "host" && reasoner.run_id === run_id);
      if (evaluation === undefined) throw new Error(`run ${run_id} was launched and is not there`);
      return evaluation;
    },
    async cancel(evaluation_id) {
      const run_id = onHosts.runOf(evaluation_id);
      if (run_id !== null) return stopRun(run_id);
      const { state } = find(evaluation_id);
      if (state !== "working") return;
      const job_id = running.get(evaluation_id);
      if (job_id !== undefined) return jobs.cancel(job_id);
      store.setState(evaluation_id, "cancelled", null);
      bell.ring();
    },
    async resume(evaluation_id) {
      const run_id = onHosts.runOf(evaluation_id);
      if (run_id !== null) {
        await resumeRun(run_id);
        return onHosts.get(evaluation_id) ?? show(find(evaluation_id));
      }
      const record = find(evaluation_id);
      if (record.reasoner.kind === "openai" && !running.has(evaluation_id)) {
        const again = store.listRows(evaluation_id).filter((row) => canBeAskedAgain(showRow(row, null)));
        store.release(
          evaluation_id,
          again.map(({ question_id }) => question_id),
        );
      }
      if (store.count(evaluation_id).waiting > 0) {
        store.setState(evaluation_id, "working", null);
        work({ ...record, state: "working" });
        bell.ring();
      }
      return show(find(evaluation_id));
    },
    prepare(evaluation_id, question_id, signal) {
      const row = store.listRows(evaluation_id).find((one) => one.question_id === question_id);
      if (!row?.clip_id) throw new TRPCError({ code: "NOT_FOUND", message: "This question has no clip." });
      return prepare(row.clip_id, signal);
    },
    put(evaluation_id, question_id, outcome) {
      find(evaluation_id);
      if (outcome.trace_id !== null) getTrace(outcome.trace_id);
      store.put(evaluation_id, question_id, outcome);
      finish(evaluation_id);
    },
    startUp() {
      for (const record of store.list()) if (record.state === "working") work(record);
    },
  };
}

/** How the questions were asked, with what two evaluations must share to be compared. */
function toCard(
  { reasoner, judge }: EvaluationRecord,
  rows: readonly RowRecord[],
): NonNullable<Evaluation["card"]> {
  return makeCard({
    questions: nameQuestions(rows),
    question_count: rows.length,
    frames: FRAMES,
    prompt_version: reasoner.kind === "openai" ? ASK_PROMPT_VERSION : TINY_PROMPT_VERSION,
    temperature: reasoner.kind === "openai" ? reasoner.temperature : 0,
    max_completion_tokens: reasoner.max_tokens,
    rule_set: "sightline",
    judge: judge?.model ?? (reasoner.kind === "onnx" ? "reference" : null),
    judge_variants: judge !== null || reasoner.kind === "onnx" ? "unconditional" : null,
  });
}

/** Rejects with the reason of `signal`, unless `until` fires first. */
function rejectOnAbort(signal: AbortSignal, until: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: until }),
  );
}
