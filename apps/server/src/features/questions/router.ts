import { z } from "zod";
import { type Bell, follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const SetId = z.object({ set_id: z.string().min(1).max(100) });
const QuestionId = z.object({ question_id: z.string().min(1).max(400) });
const QuestionIds = z.object({ question_ids: z.array(QuestionId.shape.question_id).min(1).max(10_000) });
const ClipId = z.object({ clip_id: z.string().regex(/^[0-9a-f]{64}$/) });
const Draft = z.object({
  text: z.string().max(8000),
  options: z.array(z.string().max(4000)).max(20),
  gold: z.string().max(100).nullable(),
  task: z.string().max(100),
});
const Share = z.number().min(0).max(1);

export const questionsRouter = router({
  sets: procedure
    .input(z.object({ trash: z.boolean().optional() }).optional())
    .query(({ ctx, input }) => ctx.app.questions.sets({ trash: input?.trash ?? false })),
  set: procedure.input(SetId).query(({ ctx, input }) => ctx.app.questions.set(input.set_id)),
  list: procedure
    .input(
      SetId.extend({
        task: z.string().max(200).optional(),
        side: z.enum(["train", "val", "test"]).optional(),
        match: z.enum(["matched", "ambiguous", "unmatched", "none"]).optional(),
        words: z.string().max(400).optional(),
        trash: z.boolean().optional(),
        offset: z.int().min(0).optional(),
        limit: z.int().min(1).max(1000).optional(),
      }),
    )
    .query(({ ctx, input }) => ctx.app.questions.list(input)),
  ofClip: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.questions.listOfClip(input.clip_id)),
  get: procedure.input(QuestionId).query(({ ctx, input }) => ctx.app.questions.get(input.question_id)),
  history: procedure
    .input(QuestionId)
    .query(({ ctx, input }) => ctx.app.questions.history(input.question_id)),
  write: procedure
    .input(ClipId.extend(Draft.shape))
    .mutation(({ ctx, input: { clip_id, ...draft } }) => ctx.app.questions.write(clip_id, draft)),
  edit: procedure
    .input(QuestionId.extend(Draft.shape))
    .mutation(({ ctx, input: { question_id, ...draft } }) => ctx.app.questions.edit(question_id, draft)),
  trash: procedure
    .input(QuestionIds)
    .mutation(({ ctx, input }) => ctx.app.questions.trash(input.question_ids)),
  restore: procedure
    .input(QuestionIds)
    .mutation(({ ctx, input }) => ctx.app.questions.restore(input.question_ids)),
  renameSet: procedure
    .input(SetId.extend({ name: z.string().trim().min(1).max(200) }))
    .mutation(({ ctx, input }) => ctx.app.questions.renameSet(input.set_id, input.name)),
  trashSet: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.questions.trashSet(input.set_id)),
  restoreSet: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.questions.restoreSet(input.set_id)),
  takeIn: procedure
    .input(SetId.extend({ row: z.int().min(1) }))
    .mutation(({ ctx, input }) => ctx.app.questions.takeIn(input.set_id, input.row)),
  ambiguous: procedure.input(SetId).query(({ ctx, input }) => ctx.app.questions.ambiguous(input.set_id)),
  choose: procedure
    .input(SetId.extend({ clip_key: z.string().min(1).max(400), clip_id: ClipId.shape.clip_id.nullable() }))
    .mutation(({ ctx, input }) => ctx.app.questions.choose(input.set_id, input.clip_key, input.clip_id)),
  split: procedure
    .input(
      SetId.extend({ seed: z.int().min(0), train: Share, val: Share }).refine(
        ({ train, val }) => train + val <= 1 + 1e-9,
        { message: "The shares of train and val add up to more than 1." },
      ),
    )
    .mutation(({ ctx, input: { set_id, ...by } }) => ctx.app.questions.split(set_id, by)),
  export: procedure
    .input(SetId.extend({ format: z.enum(["jsonl", "released", "grpo"]) }))
    .query(({ ctx, input }) => ctx.app.questions.export(input.set_id, input.format)),
  undo: procedure
    .input(z.object({ change_id: z.int().optional() }).optional())
    .mutation(({ ctx, input }) => ctx.app.questions.undo(input?.change_id ?? null)),
  /** A number that rises whenever questions, sets or the clips that they stand to may have changed. */
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    let changes = 0;
    const { questions, clips } = ctx.app;
    const either = joinBells(questions.bell, clips.library.bell);
    yield* follow(either, signal ?? new AbortController().signal, () => changes++);
  }),
});

/** A bell that is heard when any of several rings. */
function joinBells(...bells: readonly Bell[]): Pick<Bell, "wait"> {
  return {
    async wait(signal) {
      const heard = new AbortController();
      const until = AbortSignal.any([signal, heard.signal]);
      await Promise.race(bells.map((bell) => bell.wait(until)));
      heard.abort();
    },
  };
}
