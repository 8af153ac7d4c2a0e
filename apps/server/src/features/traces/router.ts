import { cutFirstPart, tellGrowth } from "@sightline/core/traces";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const Id = z.string().min(1).max(500);
const ClipId = z.string().regex(/^[0-9a-f]{64}$/);
const TraceId = z.object({ trace_id: Id });

const Model = z.object({ endpoint_id: Id, model: z.string().trim().min(1).max(200) });

const EndpointReasoner = Model.extend({
  kind: z.literal("openai"),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1).max(200_000),
});

const PolicyReasoner = z.object({
  kind: z.literal("onnx"),
  source: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("run"), run_id: Id }),
    z.object({ kind: z.literal("folder"), model_id: Id }),
    z.object({ kind: z.literal("hub"), id: Id }),
  ]),
  max_tokens: z.int().min(1).max(200_000),
});

const Asked = z.object({
  clip_id: ClipId,
  question_id: Id,
  triple_set_id: Id,
  struck: z.array(z.object({ index: z.int().min(0), sentence: z.string().max(20_000).nullable() })).max(2000),
  asked_after: Id.nullable(),
});

const Judgement = z.object({
  letter: z.string().max(2).nullable(),
  agrees: z.boolean(),
  status: z.enum(["ok", "no_think", "timeout", "http_error", "unparsed", "no_judge"]),
  by: z.string().max(300),
});

/** What a policy wrote in the browser, as it is kept. */
const Written = Asked.extend({
  reasoner: PolicyReasoner,
  prompt: z.string().max(1_000_000),
  prompt_version: z.string().max(100),
  text: z.string().max(1_000_000),
  state: z.enum(["done", "cancelled", "failed"]),
  problem: z.string().max(2000).nullable(),
  tokens: z.int().min(0).nullable(),
  secs: z.number().min(0).nullable(),
  judgement: Judgement.nullable(),
});

export const tracesRouter = router({
  /** Asks a model behind an endpoint; follow the trace to see it grow. */
  ask: procedure
    .input(Asked.extend({ reasoner: EndpointReasoner, judge: Model.nullable() }))
    .mutation(({ ctx, input }) => cutFirstPart(ctx.app.traces.ask(input))),
  stop: procedure.input(TraceId).mutation(({ ctx, input }) => ctx.app.traces.stop(input.trace_id)),
  keep: procedure.input(Written).mutation(({ ctx, input }) => cutFirstPart(ctx.app.traces.keep(input))),
  /** One trace with the beginning of its text; `follow` tells the rest. */
  get: procedure.input(TraceId).query(({ ctx, input }) => cutFirstPart(ctx.app.traces.get(input.trace_id))),
  headingGold: procedure
    .input(z.object({ clip_id: ClipId }))
    .query(({ ctx, input }) => ctx.app.traces.getHeadingGold(input.clip_id)),
  /** Newest first, two hundred at most. */
  list: procedure
    .input(z.object({ clip_id: ClipId, question_id: Id.nullable() }))
    .query(({ ctx, input }) => ctx.app.traces.list(input.clip_id, input.question_id)),
  /** What comes to one trace, from the mark `lastEventId` on; its judgement may come after its end. */
  follow: procedure
    .input(TraceId.extend({ lastEventId: z.string().max(100).optional() }))
    .subscription(async function* ({ ctx, input, signal }) {
      const { traces } = ctx.app;
      let told = input.lastEventId ?? "";
      const read = () => traces.get(input.trace_id);
      for await (const trace of follow(traces.bell, signal ?? new AbortController().signal, read)) {
        for (const [mark, growth] of tellGrowth(trace, told)) {
          told = mark;
          yield tracked(mark, growth);
        }
      }
    }),
});
