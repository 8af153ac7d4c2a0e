import { type Evaluation, type EvaluationRow, guessByPrior } from "@sightline/core/evaluations";
import { type CompletionGroup, isEndState, type RunDetail, type RunSummary } from "@sightline/core/runs";
import { type LineOf, readNumber } from "@sightline/core/wire";

/** Evaluations that runs on hosts make. Nothing of them is kept twice: each is read from the lines of its run. */
export type OnHosts = {
  list(): Evaluation[];
  /** Null where the id is none of a run's. */
  get(evaluation_id: string): (Evaluation & { rows: EvaluationRow[] }) | null;
  /** The run behind an evaluation; null where there is none. */
  runOf(evaluation_id: string): string | null;
};

const PREFIX = "run:";

export function createOnHosts(parts: {
  listRuns(): RunSummary[];
  getRun(run_id: string): RunDetail;
  completions(run_id: string, step: number): CompletionGroup[];
  /** The newest settings card that a run has said; null before. */
  findCard(run_id: string): LineOf<"config"> | null;
}): OnHosts {
  const isEvaluation = ({ engine }: RunSummary) => engine === "evaluate";
  const runOf = (evaluation_id: string) => {
    const run_id = evaluation_id.startsWith(PREFIX) ? evaluation_id.slice(PREFIX.length) : null;
    return run_id !== null && parts.listRuns().some((run) => run.run_id === run_id && isEvaluation(run))
      ? run_id
      : null;
  };
  const show = (run: RunSummary): Evaluation => {
    const { settings } = parts.getRun(run.run_id).spec;
    const card = parts.findCard(run.run_id);
    const questions = run.max_steps ?? toNumber(settings.eval_questions);
    const checkpoint = String(settings.checkpoint ?? "");
    return {
      evaluation_id: `${PREFIX}${run.run_id}`,
      name: run.name,
      set_id: "",
      side: null,
      reasoner: {
        kind: "host",
        run_id: run.run_id,
        host_id: run.host_id,
        model: String(settings.model ?? "tiny"),
        checkpoint: checkpoint === "" ? null : checkpoint,
      },
      card: card === null ? null : { hash: card.hash, values: card.values },
      judge: null,
      state: toState(run),
      problem: run.problem,
      made_secs: run.created_secs,
      questions,
      waiting: Math.max(0, questions - (run.step ?? 0)),
    };
  };
  return {
    runOf,
    list: () => parts.listRuns().filter(isEvaluation).map(show),
    get(evaluation_id) {
      const run_id = runOf(evaluation_id);
      if (run_id === null) return null;
      const { run, spec } = parts.getRun(run_id);
      const step = Number(String(spec.settings.checkpoint ?? "").split("/")[1] ?? 0);
      return { ...show(run), rows: toRows(parts.completions(run_id, step)) };
    },
  };
}

const toNumber = (value: unknown) => (typeof value === "number" ? value : 0);

function toState({ state }: RunSummary): Evaluation["state"] {
  if (!isEndState(state)) return "working";
  if (state === "done") return "done";
  return state === "stopped" ? "cancelled" : "failed";
}

/** A row for each question that was answered, in the order in which they came. */
function toRows(groups: readonly CompletionGroup[]): EvaluationRow[] {
  const newest = new Map<string, CompletionGroup>();
  for (const group of groups) if (!newest.has(group.question_id)) newest.set(group.question_id, group);
  const asked = [...newest.values()];
  const guesses = guessByPrior(
    asked.map(({ question_id, clip_id, task, gold }) => ({
      dataset: "",
      scene: clip_id,
      question_id,
      task,
      options: [],
      gold,
      kind: "choice",
      split: null,
    })),
  );
  return asked.map((group, place) => {
    const [sample] = group.completions;
    const [verdict] = sample?.judges ?? [];
    return {
      question_id: group.question_id,
      place,
      clip_id: group.clip_id,
      task: group.task,
      text: group.prompt ?? "",
      gold: group.gold,
      state: sample === undefined ? "failed" : "answered",
      problem: null,
      trace_id: null,
      letter: sample?.parse.letter ?? null,
      accuracy: readNumber(sample?.rewards.accuracy?.raw ?? null),
      format: readNumber(sample?.rewards.format?.raw ?? null),
      tokens: sample?.tokens ?? null,
      agrees: verdict?.agrees ?? null,
      prior: guesses[place] ?? null,
    };
  });
}
