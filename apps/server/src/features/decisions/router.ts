import { DecidedSchema, DecisionPlaceSchema } from "@sightline/core/decisions";
import { toOneLine } from "@sightline/core/format";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const ClipId = DecisionPlaceSchema.pick({ clip_id: true });
const Frame = z.int().min(0).max(100_000_000);
const Name = z
  .string()
  .overwrite(toOneLine)
  .regex(/[\p{L}\p{N}]/u, { error: "A name has at least one letter." })
  .max(60);

export const decisionsRouter = router({
  follow: procedure.input(ClipId).subscription(async function* ({ ctx, input, signal }) {
    const { decisions } = ctx.app;
    const stop = signal ?? new AbortController().signal;
    yield* follow(decisions.bell, stop, () => decisions.listOfClip(input.clip_id));
  }),
  list: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.decisions.listOfClip(input.clip_id)),
  /** Geometry's word on the way to each of these frames from the one before. */
  motions: procedure
    .input(DecisionPlaceSchema.omit({ decision_id: true }).extend({ frames: z.array(Frame).max(10_000) }))
    .query(({ ctx, input, signal }) =>
      ctx.app.decisions.lookAtMotions(
        input.clip_id,
        input.settings_hash,
        input.frames,
        signal ?? new AbortController().signal,
      ),
    ),
  decide: procedure
    .input(DecisionPlaceSchema.extend({ decided: DecidedSchema }))
    .mutation(({ ctx, input }) => ctx.app.decisions.decide(input)),
  signature: procedure.query(({ ctx }) => ctx.app.decisions.getSignature()),
  setSignature: procedure
    .input(z.object({ name: Name }))
    .mutation(({ ctx, input }) => ctx.app.decisions.setSignature(input.name)),
});
