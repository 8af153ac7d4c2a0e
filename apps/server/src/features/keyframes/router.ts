import { KeyFrameSettingsSchema, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const ClipId = z.object({ clip_id: z.string().regex(/^[0-9a-f]{64}$/) });

export const keyframesRouter = router({
  get: procedure
    .input(ClipId.extend({ settings: KeyFrameSettingsSchema.optional() }))
    .query(({ ctx, input }) => ctx.app.keyframes.get(input.clip_id, input.settings ?? SIGHTLINE_SETTINGS)),
  saved: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.keyframes.getSaved(input.clip_id)),
  fieldOfView: procedure
    .input(ClipId)
    .query(({ ctx, input }) => ctx.app.keyframes.findFieldOfView(input.clip_id)),
  extract: procedure
    .input(ClipId.extend({ settings: KeyFrameSettingsSchema.optional() }))
    .mutation(({ ctx, input }) =>
      ctx.app.keyframes.extract(input.clip_id, input.settings ?? SIGHTLINE_SETTINGS),
    ),
  select: procedure
    .input(ClipId.extend({ settings: KeyFrameSettingsSchema }))
    .query(({ ctx, input }) => ctx.app.keyframes.select(input.clip_id, input.settings)),
});
