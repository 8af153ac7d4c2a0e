import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const RunId = z.object({ run_id: z.string().min(1).max(80) });
const Line = RunId.extend({ attempt: z.int().min(1), seq: z.int().min(0) });

export const linksRouter = router({
  check: procedure.input(Line).query(({ ctx, input }) => ctx.app.links.check(input)),
  checkTrace: procedure
    .input(z.object({ trace_id: z.string().min(1).max(100) }))
    .query(({ ctx, input }) => ctx.app.links.checkTrace(input.trace_id)),
  count: procedure.input(RunId).query(({ ctx, input }) => ctx.app.links.count(input.run_id)),
  goOn: procedure
    .input(RunId.extend({ again: z.boolean().default(false) }))
    .mutation(({ ctx, input }) => ctx.app.links.goOn(input.run_id, input.again)),
  stop: procedure.input(RunId).mutation(({ ctx, input }) => ctx.app.links.stop(input.run_id)),
  prepare: procedure.input(Line).mutation(({ ctx, input }) => ctx.app.links.prepare(input)),
});
