import { randomUUID } from "node:crypto";
import { ASK_PROMPT_VERSION, TINY_PROMPT_VERSION } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { Evaluation, HostChoice, HostPlan } from "@sightline/core/evaluations";
import { formatQuestion, formatVideoText, type TripleSet } from "@sightline/core/perception";
import { type PolicyCard, toPolicyPrompt } from "@sightline/core/policies";
import type { RunDetail, RunSpec } from "@sightline/core/runs";
import type { TrainingRow } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";

export type HostDraft = Pick<Evaluation, "name" | "set_id" | "side"> & { model: HostChoice };

/** Begins evaluations of a question set by runs on hosts. */
export type HostStart = {
  plan(draft: Omit<HostDraft, "name">): Promise<HostPlan>;
  /** @returns The run that asks. */
  start(draft: HostDraft): Promise<{ run_id: string }>;
};

type Order = { host_id: string; name: string; seed: number; settings: RunSpec["settings"] };

/** What evaluations of each kind say of their frames; an equal card is an equal word. */
export const FRAMES = "key-frames of each clip";

const MOST_OPTIONS = 8;
/** Policies that the trainer makes on the spot, which read whole words. */
const WORD_LEVEL = /^(tiny|smoke|tiny-vlm)$/;
/** Tokens at most that a model of the hub may write, as many as one behind an endpoint. */
const MAX_TOKENS = 4096;
/** Settings of a run that its checkpoints can't be asked without: the words of its policy, its rules, its judge. */
const KEPT =
  /^(model|world_seed|(train|eval|warm)_questions|warm_.*|question_file|rule_set|judge_.*|max_(prompt|completion)_tokens)$/;

export function createHostStart(parts: {
  /** Of a set, in order; throws a TRPCError where there is none. */
  listQuestions(set_id: string): StoredQuestion[];
  /** The newest triples of a clip that are whole; null without any. */
  readTriples(clip_id: string): TripleSet["triples"] | null;
  getRun(run_id: string): RunDetail;
  /** What the policy that a run exported can read; null where it exported none. */
  findCard(run_id: string): Promise<PolicyCard | null>;
  keepQuestions(rows: readonly TrainingRow[]): { eval_file: string };
  launch(order: Order & Pick<RunSpec, "engine" | "preset" | "stages"> & { launch_key: string }): Promise<{
    run_id: string;
  }>;
}): HostStart {
  const layOut = async ({ set_id, side, model }: Omit<HostDraft, "name">) => {
    const spec = model.kind === "checkpoint" ? parts.getRun(model.run_id).spec : null;
    const name = String(spec?.settings.model ?? (model.kind === "hub" ? model.model : "tiny"));
    const card = name === "tiny" && model.kind === "checkpoint" ? await parts.findCard(model.run_id) : null;
    const rows: TrainingRow[] = [];
    const reasons = new Map<string, number>();
    const asked = parts
      .listQuestions(set_id)
      .filter(({ split, trashed_secs }) => trashed_secs === null && (side === null || split === side));
    const read = new Map<string, TripleSet["triples"] | null>();
    for (const question of asked) {
      const { clip_id } = question;
      if (clip_id !== null && !read.has(clip_id)) read.set(clip_id, parts.readTriples(clip_id));
      const laid = layOutOne(question, read.get(clip_id ?? "") ?? null, name === "tiny", card);
      if ("reason" in laid) reasons.set(laid.reason, (reasons.get(laid.reason) ?? 0) + 1);
      else rows.push(laid.row);
    }
    return { name, rows, set_aside: [...reasons].map(([reason, n]) => `${n} ${reason}`) };
  };

  const layOutOne = (
    question: StoredQuestion,
    triples: TripleSet["triples"] | null,
    isTiny: boolean,
    card: PolicyCard | null,
  ): { row: TrainingRow } | { reason: string } => {
    const { question_id, clip_id, task, text, options, gold, kind } = question;
    if (clip_id === null) return { reason: "without a clip in the library" };
    if (gold === null) return { reason: "without a right answer" };
    if (options.length > MOST_OPTIONS) return { reason: `with more than ${MOST_OPTIONS} options` };
    if (triples === null) return { reason: "without triples of their clip" };
    const row = { question_id, clip_id, task, options, gold, kind, chain: null };
    if (!isTiny) {
      const asked = formatQuestion(text, options);
      return { row: { ...row, prompt: formatVideoText(triples, asked), question: asked } };
    }
    if (card === null)
      return { reason: "that can't be put into its words, since this run has not exported its policy yet" };
    const told = toPolicyPrompt({ card }, triples, [], question);
    if (told.refused !== null) return { reason: "that this policy can't read" };
    return { row: { ...row, prompt: told.prompt, question: told.question } };
  };

  const orderFor = (model: HostChoice): Omit<Order, "name"> => {
    if (model.kind === "hub")
      return {
        host_id: model.host_id,
        seed: 1,
        settings: { model: model.model, max_completion_tokens: MAX_TOKENS, checkpoint: "" },
      };
    const { run, spec } = parts.getRun(model.run_id);
    const refused = refuse(run);
    if (refused !== null) throw new TRPCError({ code: "BAD_REQUEST", message: refused });
    const settings = Object.fromEntries(Object.entries(spec.settings).filter(([name]) => KEPT.test(name)));
    return {
      host_id: run.host_id,
      seed: spec.forked_from?.root_seed ?? spec.seed,
      settings: { ...settings, checkpoint: `${model.run_id}/${model.step}` },
    };
  };

  return {
    async plan(draft) {
      const { rows, set_aside } = await layOut(draft);
      return { questions: rows.length, set_aside };
    },
    async start(draft) {
      const { host_id, seed, settings } = orderFor(draft.model);
      const { name, rows, set_aside } = await layOut(draft);
      if (rows.length === 0)
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: `No question of this set can be asked: ${set_aside.join(", ") || "there is none"}.`,
        });
      return parts.launch({
        launch_key: randomUUID(),
        host_id,
        name: draft.name,
        engine: "evaluate",
        preset: "evaluation",
        seed,
        stages: [
          {
            name: "evaluation",
            weights: { format: 1, accuracy: 1, consistency: 1 },
            from_epoch: 0,
            to_epoch: 1,
          },
        ],
        settings: {
          ...settings,
          ...parts.keepQuestions(rows),
          set_id: draft.set_id,
          side: draft.side,
          asked: rows.length,
          set_aside: set_aside.length === 0 ? null : set_aside.join(", "),
          frames: FRAMES,
          temperature: 0,
          judge_variants: "unconditional",
          ...(name === "tiny" && { prompt_version: TINY_PROMPT_VERSION }),
          // The trainer asks such a model in the words of an endpoint (grpo/prompt.py).
          ...(!WORD_LEVEL.test(name) && { prompt_version: ASK_PROMPT_VERSION }),
        },
      });
    },
  };
}

/** Why a run's checkpoints can't be asked, in a sentence; null where they can. */
function refuse({ name, engine, recorded, watched }: RunDetail["run"]): string | null {
  if (engine !== "grpo" && engine !== "sft") return `${name} has no policy: nothing was trained in it.`;
  if (recorded) return `${name} was recorded elsewhere; its checkpoints are not here.`;
  if (watched) return `${name} was started by somebody else; its checkpoints lie outside the runs' folder.`;
  return null;
}
