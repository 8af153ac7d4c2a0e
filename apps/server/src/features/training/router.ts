import { ENGINES, Stage } from "@sightline/core/runs";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const Spec = z.object({
  name: z.string().max(200),
  engine: z.enum(ENGINES),
  preset: z.string().max(80),
  seed: z.int().min(0),
  stages: z.array(Stage).max(50),
  settings: z.record(z.string().max(80), z.union([z.string().max(2000), z.number(), z.boolean(), z.null()])),
});

export const trainingRouter = router({
  /** The file's bytes as base64: text would hide bytes that are no UTF-8. */
  checkFile: procedure
    .input(z.object({ base64: z.base64().max(8_000_000) }))
    .mutation(({ ctx, input }) => ctx.app.training.checkFile(Buffer.from(input.base64, "base64"))),
  keepRewards: procedure
    .input(z.object({ base64: z.base64().max(400_000) }))
    .mutation(({ ctx, input }) => ctx.app.training.keepRewards(Buffer.from(input.base64, "base64"))),
  rewardNames: procedure
    .input(z.object({ reward_file: z.string().max(2000) }))
    .query(({ ctx, input }) => ctx.app.training.rewardNames(input.reward_file)),
  preflight: procedure
    .input(Spec.extend({ host_id: z.string().min(1).max(80).default("local") }))
    .query(({ ctx, input: { host_id, ...spec } }) => ctx.app.training.preflight(spec, host_id)),
});
