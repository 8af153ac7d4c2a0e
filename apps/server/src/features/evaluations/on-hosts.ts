import { type StoredQuestion, splitInlineOptions } from "@sightline/core/benchmarks";
import { type Evaluation, type EvaluationRow, guessByPrior } from "@sightline/core/evaluations";
import { type CompletionGroup, isEndState, type RunDetail, type RunSummary } from "@sightline/core/runs";
import { type LineOf, readNumber } from "@sightline/core/wire";
import { makeCard, nameQuestions } from "./card.ts";

/** Evaluations that runs on hosts make. Nothing of them is kept twice: each is read from the lines of its run. */
export type OnHosts = {
  list(): Evaluation[];
  /** Null where the id is none of a run's. */
  get(evaluation_id: string): (Evaluation & { rows: EvaluationRow[] }) | null;
  /** True for a run that is an evaluation, in the trash or not. */
  isEvaluation(run_id: string): boolean;
  /** The run behind an evaluation; null where there is none. */
  runOf(evaluation_id: string): string | null;
};

const PREFIX = "run:";

export function createOnHosts(parts: {
  listRuns(): RunSummary[];
  getRun(run_id: string): RunDetail;
  completions(run_id: string, step: number): CompletionGroup[];
  /** What a run said last of what it is at; null before it said so. */
  findPhase(run_id: string): LineOf<"phase"> | null;
  /** The newest settings card that a run has said; null before. */
  findCard(run_id: string): LineOf<"config"> | null;
  /** Questions of a set of the library, in order; null where the set is not here. */
  findQuestions(set_id: string): StoredQuestion[] | null;
  /** What is asked, where the evaluation was begun with a set of the library; null where the file is not here. */
  readAsked(eval_file: string): { question_id: string; gold: string | null }[] | null;
}): OnHosts {
  const isEvaluation = ({ engine }: RunSummary) => engine === "evaluate";
  /** By run: it is asked with every line that any run writes, and an engine never changes. */
  const known = new Map<string, boolean>();
  const runOf = (evaluation_id: string) => {
    const run_id = evaluation_id.startsWith(PREFIX) ? evaluation_id.slice(PREFIX.length) : null;
    return run_id !== null && parts.listRuns().some((run) => run.run_id === run_id && isEvaluation(run))
      ? run_id
      : null;
  };
  /** While a batch is on its way its answers are counted as they end; their rows come with the batch. */
  const countAnswered = ({ run_id, state, step }: RunSummary) => {
    const phase = isEndState(state) ? null : parts.findPhase(run_id);
    return Math.max(step ?? 0, phase?.name === "evaluate" ? phase.done : 0);
  };
  const show = (run: RunSummary): Evaluation => {
    const { settings } = parts.getRun(run.run_id).spec;
    const questions = run.max_steps ?? toNumber(settings.asked ?? settings.eval_questions);
    const checkpoint = String(settings.checkpoint ?? "");
    return {
      evaluation_id: `${PREFIX}${run.run_id}`,
      name: run.name,
      set_id: toText(settings.set_id) ?? "",
      side: (toText(settings.side) as Evaluation["side"]) ?? null,
      reasoner: {
        kind: "host",
        run_id: run.run_id,
        host_id: run.host_id,
        model: String(settings.model ?? "tiny"),
        checkpoint: checkpoint === "" ? null : checkpoint,
        set_aside: toText(settings.set_aside),
      },
      card: null,
      judge: null,
      state: toState(run),
      problem: run.problem,
      made_secs: run.created_secs,
      questions,
      waiting: Math.max(0, questions - countAnswered(run)),
    };
  };
  const toCard = (run_id: string, eval_file: string | null): Evaluation["card"] => {
    const said = parts.findCard(run_id);
    if (said === null) return null;
    const asked = eval_file === null ? null : parts.readAsked(eval_file);
    // The host names its questions by what the policy reads; the others by what is asked, so that cards can be alike.
    return makeCard({ ...said.values, ...(asked && { questions: nameQuestions(asked) }) });
  };
  return {
    isEvaluation(run_id) {
      const is_one = known.get(run_id) ?? isEvaluation(parts.getRun(run_id).run);
      known.set(run_id, is_one);
      return is_one;
    },
    runOf,
    list: () => parts.listRuns().filter(isEvaluation).map(show),
    get(evaluation_id) {
      const run_id = runOf(evaluation_id);
      if (run_id === null) return null;
      const { run, spec } = parts.getRun(run_id);
      const step = Number(String(spec.settings.checkpoint ?? "").split("/")[1] ?? 0);
      const set_id = toText(spec.settings.set_id);
      const questions = set_id === null ? null : parts.findQuestions(set_id);
      return {
        ...show(run),
        card: toCard(run_id, toText(spec.settings.eval_file)),
        rows: toRows(parts.completions(run_id, step), questions),
      };
    },
  };
}

const toText = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
const toNumber = (value: unknown) => (typeof value === "number" ? value : 0);

function toState({ state }: RunSummary): Evaluation["state"] {
  if (state === "stopping") return "cancelling";
  if (!isEndState(state)) return "working";
  if (state === "done") return "done";
  return state === "stopped" ? "cancelled" : "failed";
}

/**
 * A row for each question that was answered, in the order in which they came.
 *
 * @param known  The set that was asked, which the label prior learns from; null where the rows are all that is known.
 */
function toRows(groups: readonly CompletionGroup[], known: StoredQuestion[] | null): EvaluationRow[] {
  const newest = new Map<string, CompletionGroup>();
  for (const group of groups) if (!newest.has(group.question_id)) newest.set(group.question_id, group);
  const asked = [...newest.values()];
  const learned = known ?? asked.map(toAsked);
  const guesses = guessByPrior(learned);
  const prior = new Map(learned.map(({ question_id }, at) => [question_id, guesses[at] ?? null]));
  const texts = new Map(known?.map(({ question_id, text }) => [question_id, text]));
  return asked.map((group, place) => {
    const [sample] = group.completions;
    const [verdict] = sample?.judges ?? [];
    return {
      question_id: group.question_id,
      place,
      clip_id: group.clip_id,
      task: group.task,
      text: texts.get(group.question_id) ?? group.prompt ?? "",
      gold: group.gold,
      state: sample === undefined ? "failed" : "answered",
      problem: null,
      trace_id: null,
      letter: sample?.parse.letter ?? null,
      accuracy: readNumber(sample?.rewards.accuracy?.raw ?? null),
      format: readNumber(sample?.rewards.format?.raw ?? null),
      tokens: sample?.tokens ?? null,
      agrees: verdict?.agrees ?? null,
      prior: prior.get(group.question_id) ?? null,
    };
  });
}

/** What the prompt and the row tell of a question. */
function toAsked({ question_id, clip_id, task, gold, prompt }: CompletionGroup) {
  const options = splitInlineOptions(prompt ?? "")?.options ?? [];
  const kind = gold === null || /^[A-H]$/.test(gold) ? ("choice" as const) : ("number" as const);
  return { dataset: "", scene: clip_id, question_id, task, options, gold, kind, split: null };
}
