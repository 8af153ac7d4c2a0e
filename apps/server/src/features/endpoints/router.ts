import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const EndpointId = z.object({ endpoint_id: z.string().max(100) });
const Model = z.string().trim().min(1).max(200);

const Draft = z.object({
  endpoint_id: z.string().max(100).nullable(),
  name: z.string().trim().min(1, { error: "The endpoint needs a name." }).max(100),
  base_url: z.string().max(1000),
  models: z.array(Model).max(500),
  concurrency: z.number().int().min(1).max(256),
  key: z.string().max(4000).nullish(),
});

export const endpointsRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.endpoints.list()),
  put: procedure
    .input(Draft)
    .mutation(({ ctx, input: { key, ...draft } }) =>
      ctx.app.endpoints.put({ ...draft, ...(key !== undefined && { key }) }),
    ),
  remove: procedure
    .input(EndpointId)
    .mutation(({ ctx, input }) => ctx.app.endpoints.remove(input.endpoint_id)),
  restore: procedure
    .input(EndpointId)
    .mutation(({ ctx, input }) => ctx.app.endpoints.restore(input.endpoint_id)),
  attempt: procedure
    .input(EndpointId.extend({ model: Model.nullable() }))
    .mutation(({ ctx, input, signal }) =>
      ctx.app.endpoints.attempt(input.endpoint_id, input.model, signal ?? new AbortController().signal),
    ),
});
