import { randomUUID } from "node:crypto";
import { ASK_PROMPT_VERSION, TINY_PROMPT_VERSION } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import type { Evaluation, HostChoice, HostPlan } from "@sightline/core/evaluations";
import { formatQuestion, formatVideoText, type TripleSet } from "@sightline/core/perception";
import { type PolicyCard, toPolicyPrompt } from "@sightline/core/policies";
import type { RunDetail, RunSpec } from "@sightline/core/runs";
import { MAX_OPTIONS } from "@sightline/core/training";
import type { TrainingRow } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";
import { type ClipPictures, PICTURE_PX } from "./draw-clips.ts";
import { createReasons, drawRows, type Found, type Row, spreadFrames } from "./show-rows.ts";

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

const sayPictures = (most: number) =>
  `at most ${most} key-frames of each clip, as pictures of at most ${PICTURE_PX} pixels`;

/** Policies that the trainer makes on the spot, which read whole words. */
const WORD_LEVEL = /^(tiny|smoke|tiny-vlm)$/;
/** Settings of a run that its checkpoints can't be asked without: what its policy reads and sees, its rules, its judge. */
const KEPT =
  /^(model|vlm_frames|world_seed|(train|eval|warm)_questions|warm_.*|question_file|rule_set|judge_.*|max_(prompt|completion)_tokens)$/;

type Laid = { row: Row } | { reason: string };

export function createHostStart(parts: {
  /** Of a set, in order; throws a TRPCError where there is none. */
  listQuestions(set_id: string): StoredQuestion[];
  /** The newest triples of a clip that are whole; null without any. */
  readTriples(clip_id: string): TripleSet["triples"] | null;
  pictures: ClipPictures;
  getRun(run_id: string): RunDetail;
  /** What the policy that a run exported can read; null where it exported none. */
  findCard(run_id: string): Promise<PolicyCard | null>;
  keepQuestions(rows: readonly TrainingRow[], pictures: ReadonlyMap<string, Buffer>): { eval_file: string };
  launch(order: Order & Pick<RunSpec, "engine" | "preset" | "stages"> & { launch_key: string }): Promise<{
    run_id: string;
  }>;
}): HostStart {
  const layOut = async ({ set_id, side, model }: Omit<HostDraft, "name">) => {
    const spec = model.kind === "checkpoint" ? parts.getRun(model.run_id).spec : null;
    const name = String(spec?.settings.model ?? (model.kind === "hub" ? model.model : "tiny"));
    const most_frames = Number(spec?.settings.vlm_frames ?? 0);
    const card = name === "tiny" && model.kind === "checkpoint" ? await parts.findCard(model.run_id) : null;
    const rows: Row[] = [];
    const reasons = createReasons();
    const asked = parts
      .listQuestions(set_id)
      .filter(({ split, trashed_secs }) => trashed_secs === null && (side === null || split === side));
    const readTriples = remember(parts.readTriples);
    const listFrames = remember((clip_id) =>
      spreadFrames(parts.pictures.listKeyFrames(clip_id), most_frames),
    );
    for (const question of asked) {
      const found = findRow(question);
      const lay = ({ row }: { row: Found }) =>
        most_frames > 0
          ? showFrames(row, question, listFrames(row.clip_id))
          : tell(row, question, readTriples(row.clip_id), name === "tiny", card);
      const laid = "reason" in found ? found : lay(found);
      if ("reason" in laid) reasons.add(laid.reason);
      else rows.push(laid.row);
    }
    return { name, most_frames, rows, reasons };
  };

  /** What of a question is the same for every model. */
  const findRow = (question: StoredQuestion): { row: Found } | { reason: string } => {
    const { question_id, clip_id, task, options, gold, kind } = question;
    if (clip_id === null) return { reason: "without a clip in the library" };
    if (gold === null) return { reason: "without a right answer" };
    if (options.length > MAX_OPTIONS) return { reason: `with more than ${MAX_OPTIONS} options` };
    return { row: { question_id, clip_id, task, options, gold, kind, chain: null } };
  };

  /** For a model that sees: the question as a file of questions lays it out, beside its clip's key-frames. */
  const showFrames = (row: Found, { text, options }: StoredQuestion, ordinals: number[]): Laid => {
    if (ordinals.length === 0) return { reason: "without key-frames of their clip" };
    const question = formatQuestion(text, options);
    return { row: { ...row, prompt: question, question, ordinals } };
  };

  const tell = (
    row: Found,
    question: StoredQuestion,
    triples: TripleSet["triples"] | null,
    isTiny: boolean,
    card: PolicyCard | null,
  ): Laid => {
    if (triples === null) return { reason: "without triples of their clip" };
    if (!isTiny) {
      const asked = formatQuestion(question.text, question.options);
      return {
        row: { ...row, prompt: formatVideoText(triples, asked), question: asked, ordinals: [] },
      };
    }
    if (card === null)
      return { reason: "that can't be put into its words, since this run has not exported its policy yet" };
    const told = toPolicyPrompt({ card }, triples, [], question);
    if (told.refused !== null) return { reason: "that this policy can't read" };
    return { row: { ...row, prompt: told.prompt, question: told.question, ordinals: [] } };
  };

  const orderFor = (model: HostChoice): Omit<Order, "name"> => {
    if (model.kind === "hub")
      return {
        host_id: model.host_id,
        seed: 1,
        settings: { model: model.model, max_completion_tokens: model.max_tokens, checkpoint: "" },
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
      const { rows, reasons } = await layOut(draft);
      return { questions: rows.length, set_aside: reasons.list() };
    },
    async start(draft) {
      const { host_id, seed, settings } = orderFor(draft.model);
      const { name, most_frames, rows: laid, reasons } = await layOut(draft);
      const { rows, pictures } = await drawRows(laid, {
        pictures: parts.pictures,
        reasons,
        name: draft.name,
      });
      const set_aside = reasons.list();
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
          ...parts.keepQuestions(rows, pictures),
          set_id: draft.set_id,
          side: draft.side,
          asked: rows.length,
          set_aside: set_aside.length === 0 ? null : set_aside.join(", "),
          frames: most_frames > 0 ? sayPictures(most_frames) : FRAMES,
          temperature: 0,
          judge_variants: "unconditional",
          ...(name === "tiny" && { prompt_version: TINY_PROMPT_VERSION }),
          // The trainer asks a model that reads in the words of an endpoint (grpo/prompt.py).
          ...(!WORD_LEVEL.test(name) && most_frames === 0 && { prompt_version: ASK_PROMPT_VERSION }),
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

function remember<T>(read: (clip_id: string) => T): (clip_id: string) => T {
  const known = new Map<string, T>();
  return (clip_id) => {
    const value = known.has(clip_id) ? (known.get(clip_id) as T) : read(clip_id);
    known.set(clip_id, value);
    return value;
  };
}
