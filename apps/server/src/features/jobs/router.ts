import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

export const jobsRouter = router({
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    const { jobs } = ctx.app;
    yield* follow(jobs.bell, signal ?? new AbortController().signal, () => jobs.list());
  }),
  cancel: procedure
    .input(z.object({ job_id: z.string() }))
    .mutation(({ ctx, input }) => ctx.app.jobs.cancel(input.job_id)),
});
