import { randomUUID } from "node:crypto";
import {
  ASK_PROMPT_VERSION,
  type Asked,
  type ChatPrompt,
  formatAskPrompt,
  formatJudgePrompt,
  getThink,
  leaveOut,
  readJudgement,
  type Strike,
  showPrompt,
} from "@sightline/core/ask";
import type { TripleSet } from "@sightline/core/perception";
import type { Judgement, Reasoner, Trace, TracePiece, TraceSummary } from "@sightline/core/traces";
import { applyMove, toHeadingLetter, toMoves, type World } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import { type Bell, createBell } from "../../live/follow.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { TraceEnd, TraceRow, TraceStore } from "./store.ts";

/** What is needed of the endpoints: one question to a model, its answer streaming in. Rejects with a sentence. */
export type AskModel = (
  endpoint_id: string,
  request: {
    model: string;
    messages: { role: "system" | "user"; content: string }[];
    temperature: number;
    max_tokens: number;
  },
  options: {
    signal: AbortSignal;
    priority: number;
    onDelta?: (delta: { text: string; reasoning: string }) => void;
  },
) => Promise<{ text: string; finish: string | null; completion_tokens: number | null }>;

/** A model behind an endpoint. */
export type Model = { endpoint_id: string; model: string };

/** What every trace is asked with. */
type AskedWith = {
  clip_id: string;
  question_id: string;
  triple_set_id: string;
  struck: Strike[];
  /** The trace that this one is asked after, with something struck out or edited. */
  asked_after: string | null;
};

export type AskRequest = AskedWith & {
  reasoner: Extract<Reasoner, { kind: "openai" }>;
  /** Null where nobody judges. */
  judge: Model | null;
};

/** A trace that a policy wrote in the browser. */
export type WrittenTrace = AskedWith & {
  reasoner: Extract<Reasoner, { kind: "onnx" }>;
  prompt: string;
  prompt_version: string;
  text: string;
  state: TraceEnd["state"];
  problem: string | null;
  tokens: number | null;
  secs: number | null;
  judgement: Judgement | null;
};

/** Reasoning about clips: asked, written down as it comes, judged. */
export type Traces = {
  /** Asks a model behind an endpoint; the trace then grows by itself. */
  ask(request: AskRequest): Trace;
  /** The same, and waits for the end. `signal` stops it. */
  askAndWait(request: AskRequest, signal: AbortSignal): Promise<Trace>;
  /** Stops a trace that is being written; what had come stays. */
  stop(trace_id: string): void;
  /** Keeps what a policy wrote in the browser. */
  keep(written: WrittenTrace): Trace;
  get(trace_id: string): Trace;
  /** Newest first; null for all questions. */
  list(clip_id: string, question_id: string | null): TraceSummary[];
  /** The right answer to the heading question of a clip: known where the clip shows a world. */
  getHeadingGold(clip_id: string): string | null;
  /** Rings whenever a trace has grown or ended. */
  bell: Bell;
};

/** What came is written down this often. */
const FLUSH_MS = 150;
const MOST_LISTED = 200;

const CUT_SHORT =
  "The server went down while this was being written. What had come by then is here; ask again.";

export function createTraceService({
  store,
  jobs,
  askModel,
  getTripleSet,
  getQuestion,
  getClipName,
  findWorld,
}: {
  store: TraceStore;
  jobs: Jobs;
  askModel: AskModel;
  /** They throw a TRPCError where there is none. */
  getTripleSet(triple_set_id: string): TripleSet;
  getQuestion(question_id: string): Asked;
  getClipName(clip_id: string): string;
  /** The world that a rendered clip shows; null for any other clip. */
  findWorld(clip_id: string): World | null;
}): Traces {
  const bell = createBell();
  const running = new Map<string, AbortController>();
  /** Why the ends of traces could not be written down. */
  const unwritten = new Map<string, unknown>();

  for (const trace_id of store.listUnended())
    store.end({ trace_id, state: "failed", problem: CUT_SHORT, tokens: null, secs: null });

  const showEnd = <T extends TraceSummary>(trace: T): T => {
    const error = unwritten.get(trace.trace_id);
    return error === undefined ? trace : { ...trace, state: "failed", problem: explainFailure(error) };
  };

  const get = (trace_id: string): Trace => {
    const trace = store.get(trace_id);
    if (!trace) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such trace." });
    return showEnd(trace);
  };

  const gather = ({ clip_id, question_id, triple_set_id, struck, asked_after }: AskedWith) => {
    getClipName(clip_id);
    const set = getTripleSet(triple_set_id);
    if (set.clip_id !== clip_id) {
      throw new TRPCError({ code: "BAD_REQUEST", message: "These triples are of another clip." });
    }
    if (asked_after !== null) get(asked_after);
    const { text, options, gold, kind, task } = getQuestion(question_id);
    return {
      trace_id: randomUUID(),
      clip_id,
      question_id,
      triple_set_id,
      struck,
      asked_after,
      question: { text, options, gold, kind, task },
      triples: set.triples,
      made_secs: Date.now() / 1000,
    };
  };

  const prepare = (request: AskRequest): { row: TraceRow; prompt: ChatPrompt } => {
    const asked = gather(request);
    if (leaveOut(asked.triples, asked.struck).length === 0) {
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: "No triple is left to reason over. Take a strike back, or make triples first.",
      });
    }
    const prompt = formatAskPrompt(asked.triples, asked.struck, asked.question);
    const row: TraceRow = {
      ...asked,
      reasoner: request.reasoner,
      prompt: showPrompt(prompt),
      prompt_version: ASK_PROMPT_VERSION,
    };
    store.add(row);
    return { row, prompt };
  };

  const toMessages = ({ system, user }: ChatPrompt) => [
    { role: "system" as const, content: system },
    { role: "user" as const, content: user },
  ];

  const judge = async (trace: Trace, model: Model, signal: AbortSignal): Promise<Judgement> => {
    const by = model.model;
    const think = getThink(trace.text, trace.question);
    if (think === null) return { letter: null, agrees: false, status: "no_think", by };
    try {
      const { text } = await askModel(
        model.endpoint_id,
        {
          model: model.model,
          messages: toMessages(formatJudgePrompt(trace.question, think)),
          temperature: 0,
          max_tokens: 256,
        },
        { signal, priority: 1 },
      );
      return readJudgement(text, trace.reading?.letter ?? null, trace.question, by);
    } catch (error) {
      signal.throwIfAborted();
      const is_timeout = error instanceof Error && "kind" in error && error.kind === "timeout";
      const status = is_timeout ? "timeout" : "http_error";
      return { letter: null, agrees: false, status, by };
    }
  };

  /** Writes one trace to its end. Throws nothing that has to do with the endpoint: that is in the trace. */
  const write = async (row: TraceRow, prompt: ChatPrompt, request: AskRequest, signal: AbortSignal) => {
    const { trace_id } = row;
    const { endpoint_id, model, temperature, max_tokens } = request.reasoner;
    const began = performance.now();
    let waiting: TracePiece[] = [];
    const flush = () => {
      if (waiting.length === 0) return;
      store.append(trace_id, waiting);
      waiting = [];
      bell.ring();
    };
    const timer = setInterval(() => {
      try {
        flush();
      } catch {
        // What waits is written with the next piece, or its failure is told at the end.
      }
    }, FLUSH_MS);
    const take = (kind: TracePiece["kind"], text: string) => {
      const last = waiting.at(-1);
      if (text === "") return;
      if (last?.kind === kind) last.text += text;
      else waiting.push({ kind, text });
    };
    const end = (state: TraceEnd["state"], problem: string | null, tokens: number | null) => {
      clearInterval(timer);
      try {
        flush();
        store.end({ trace_id, state, problem, tokens, secs: (performance.now() - began) / 1000 });
      } catch (error) {
        unwritten.set(trace_id, error);
      }
      bell.ring();
    };
    try {
      const answer = await askModel(
        endpoint_id,
        { model, messages: toMessages(prompt), temperature, max_tokens },
        {
          signal,
          priority: 1,
          onDelta({ text, reasoning }) {
            take("reasoning", reasoning);
            take("text", text);
          },
        },
      );
      const problem = answer.finish === "length" ? `Cut at the longest length, ${max_tokens} tokens.` : null;
      end("done", problem, answer.completion_tokens);
    } catch (error) {
      if (jobs.isClosing) return end("failed", CUT_SHORT, null);
      if (signal.aborted) return end("cancelled", null, null);
      return end("failed", explainFailure(error), null);
    }
    if (request.judge === null || signal.aborted) return;
    const judgement = await judge(get(trace_id), request.judge, signal).catch((error: unknown) => {
      // The trace is whole; only its judge was stopped, or broke.
      if (signal.aborted) return null;
      throw error;
    });
    if (judgement === null) return;
    store.addJudgement(trace_id, judgement);
    bell.ring();
  };

  return {
    bell,
    ask(request) {
      const { row, prompt } = prepare(request);
      const { trace_id, clip_id } = row;
      const stop = new AbortController();
      running.set(trace_id, stop);
      const title = `Asking ${request.reasoner.model} about ${getClipName(clip_id)}`;
      const { ended } = jobs.start({ kind: "ask", title, clip_id }, async ({ signal, begin }) => {
        begin();
        await write(row, prompt, request, AbortSignal.any([signal, stop.signal]));
        const { state, problem } = get(trace_id);
        if (state === "failed") throw new Error(problem ?? "The trace broke off.");
      });
      void ended.then(() => running.delete(trace_id));
      return get(trace_id);
    },
    async askAndWait(request, signal) {
      const { row, prompt } = prepare(request);
      const stop = new AbortController();
      running.set(row.trace_id, stop);
      try {
        await write(row, prompt, request, AbortSignal.any([signal, stop.signal]));
      } finally {
        running.delete(row.trace_id);
      }
      if (unwritten.has(row.trace_id)) throw unwritten.get(row.trace_id);
      return get(row.trace_id);
    },
    stop(trace_id) {
      get(trace_id);
      running.get(trace_id)?.abort(new DOMException("stopped", "AbortError"));
    },
    keep({ prompt, prompt_version, reasoner, text, state, problem, tokens, secs, judgement, ...asked }) {
      const row: TraceRow = { ...gather(asked), reasoner, prompt, prompt_version };
      store.addWhole(row, text, { trace_id: row.trace_id, state, problem, tokens, secs }, judgement);
      bell.ring();
      return get(row.trace_id);
    },
    get,
    getHeadingGold(clip_id) {
      const world = findWorld(clip_id);
      return world === null ? null : toHeadingLetter(toMoves(world.steps).reduce(applyMove, "north"));
    },
    list: (clip_id, question_id) => store.list(clip_id, question_id, MOST_LISTED).map(showEnd),
  };
}
