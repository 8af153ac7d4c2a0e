import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const Id = z.string().min(1).max(500);
const EvaluationId = z.object({ evaluation_id: Id });
const RowId = EvaluationId.extend({ question_id: Id });
const Name = z.string().trim().min(1, { error: "The evaluation needs a name." }).max(200);
const MaxTokens = z.int().min(1).max(200_000);

const Reasoner = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("openai"),
    endpoint_id: Id,
    model: z.string().trim().min(1).max(200),
    temperature: z.number().min(0).max(2),
    max_tokens: MaxTokens,
  }),
  z.object({
    kind: z.literal("onnx"),
    source: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("run"), run_id: Id }),
      z.object({ kind: z.literal("folder"), model_id: Id }),
      z.object({ kind: z.literal("hub"), id: Id }),
    ]),
    max_tokens: MaxTokens,
  }),
]);

const OnHost = z.object({
  set_id: Id,
  side: z.enum(["train", "val", "test"]).nullable(),
  model: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("checkpoint"), run_id: z.string().min(1).max(80), step: z.int().min(1) }),
    z.object({
      kind: z.literal("hub"),
      host_id: z.string().min(1).max(80),
      model: z
        .string()
        .trim()
        .max(400)
        .regex(/^([\w.-]+\/[\w.-]+|[/~].+)$/, {
          error: "Name the model as the hub does, OWNER/NAME, or by its folder on the host.",
        }),
      max_tokens: MaxTokens,
    }),
  ]),
});

export const evaluationsRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.evaluations.list()),
  get: procedure.input(EvaluationId).query(({ ctx, input }) => ctx.app.evaluations.get(input.evaluation_id)),
  start: procedure
    .input(
      z.object({
        name: Name,
        set_id: Id,
        side: z.enum(["train", "val", "test"]).nullable(),
        reasoner: Reasoner,
        judge: z.object({ endpoint_id: Id, model: z.string().trim().min(1).max(200) }).nullable(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.evaluations.start(input)),
  planOnHost: procedure.input(OnHost).query(({ ctx, input }) => ctx.app.evaluations.planOnHost(input)),
  startOnHost: procedure
    .input(OnHost.extend({ name: Name }))
    .mutation(({ ctx, input }) => ctx.app.evaluations.startOnHost(input)),
  cancel: procedure
    .input(EvaluationId)
    .mutation(({ ctx, input }) => ctx.app.evaluations.cancel(input.evaluation_id)),
  resume: procedure
    .input(EvaluationId)
    .mutation(({ ctx, input }) => ctx.app.evaluations.resume(input.evaluation_id)),
  /** Triples for one question that a page is about to ask; made now where there are none. */
  prepare: procedure
    .input(RowId)
    .mutation(({ ctx, input, signal }) =>
      ctx.app.evaluations.prepare(
        input.evaluation_id,
        input.question_id,
        signal ?? new AbortController().signal,
      ),
    ),
  put: procedure
    .input(RowId.extend({ trace_id: Id.nullable(), problem: z.string().max(2000).nullable() }))
    .mutation(({ ctx, input: { evaluation_id, question_id, ...outcome } }) =>
      ctx.app.evaluations.put(evaluation_id, question_id, outcome),
    ),
  /** A number that rises with every change of any evaluation. */
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    let changes = 0;
    yield* follow(ctx.app.evaluations.bell, signal ?? new AbortController().signal, () => changes++);
  }),
});
