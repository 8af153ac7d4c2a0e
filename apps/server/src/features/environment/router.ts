import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

export const environmentRouter = router({
  status: procedure.query(({ ctx }) => ctx.app.environment.status()),
  prepare: procedure
    .input(z.object({ repair: z.boolean().default(false) }))
    .mutation(({ ctx, input }) => ctx.app.environment.prepare({ isRepair: input.repair })),
});
