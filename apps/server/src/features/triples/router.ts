import { ACTIONS } from "@sightline/core/worlds";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";
import { toPerceiver } from "./index.ts";

const ClipId = z.object({ clip_id: z.string().regex(/^[0-9a-f]{64}$/) });
const SettingsHash = z.string().regex(/^[0-9a-f]{16}$/);
const SetId = z.object({ triple_set_id: z.string().max(100) });
const At = SetId.extend({ index: z.number().int().min(0).max(100_000) });
const Words = z.string().max(20_000);

const Choice = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("embedded") }),
  z.object({ kind: z.literal("oracle") }),
  z.object({
    kind: z.literal("openai"),
    endpoint_id: z.string().max(100),
    model: z.string().trim().min(1, { error: "Choose a model." }).max(200),
    temperature: z.number().min(0).max(2),
    image_px: z.number().int().min(64).max(4096),
  }),
]);

const Plan = ClipId.extend({
  settings_hash: SettingsHash,
  perceiver: Choice,
  question_id: z.string().max(400).nullable(),
  question: Words,
});

const Fields = z.object({
  action: z.enum([...ACTIONS, "unclear"]).nullable(),
  change: Words,
  relevant: Words,
});

export const triplesRouter = router({
  follow: procedure.input(ClipId).subscription(async function* ({ ctx, input, signal }) {
    const { triples } = ctx.app;
    yield* follow(triples.bell, signal ?? new AbortController().signal, () => triples.list(input.clip_id));
  }),
  list: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.triples.list(input.clip_id)),
  trashed: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.triples.listTrashed(input.clip_id)),
  get: procedure.input(SetId).query(({ ctx, input }) => ctx.app.triples.get(input.triple_set_id)),
  tallyPerceiver: procedure
    .input(SetId)
    .query(({ ctx, input }) => ctx.app.triples.tallyPerceiver(input.triple_set_id)),
  /** Perceivers that this clip can have. */
  perceivers: procedure
    .input(ClipId)
    .query(({ ctx, input }) => ctx.app.triples.listPerceivers(input.clip_id)),
  estimate: procedure
    .input(Plan)
    .query(({ ctx, input }) =>
      ctx.app.triples.estimate({ ...input, perceiver: toPerceiver(input.perceiver) }),
    ),
  start: procedure
    .input(Plan)
    .mutation(({ ctx, input }) =>
      ctx.app.triples.start({ ...input, perceiver: toPerceiver(input.perceiver) }),
    ),
  cancel: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.triples.cancel(input.triple_set_id)),
  resume: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.triples.resume(input.triple_set_id)),
  import: procedure
    .input(
      ClipId.extend({
        settings_hash: SettingsHash,
        name: z.string().trim().min(1).max(200),
        text: z.string(),
      }),
    )
    .mutation(({ ctx, input: { name, text, ...plan } }) =>
      ctx.app.triples.bringIn({ ...plan, question_id: null }, { name, text }),
    ),
  edit: procedure
    .input(At.extend({ after: Fields }))
    .mutation(({ ctx, input }) => ctx.app.triples.edit(input.triple_set_id, input.index, input.after)),
  undo: procedure
    .input(SetId.extend({ index: At.shape.index.nullable() }))
    .mutation(({ ctx, input }) => ctx.app.triples.undo(input.triple_set_id, input.index)),
  edits: procedure
    .input(At)
    .query(({ ctx, input }) => ctx.app.triples.listEdits(input.triple_set_id, input.index)),
  trash: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.triples.trash(input.triple_set_id)),
  restore: procedure.input(SetId).mutation(({ ctx, input }) => ctx.app.triples.restore(input.triple_set_id)),
});
