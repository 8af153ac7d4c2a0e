import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const ClipId = z.object({ clip_id: z.string().regex(/^[0-9a-f]{64}$/) });

const Settings = z
  .object({
    preset: z.enum(["sightline", "embodied-r"]),
    sampling: z.enum(["time", "released"]),
    interval_secs: z.number().min(0.01).max(3600),
    threshold: z.number().min(0).max(1),
    min_frames: z.number().int().min(0).max(10_000),
    max_frames: z.number().int().min(2).max(10_000),
    features: z.number().int().min(20).max(5000),
    ransac_px: z.number().min(0.1).max(100),
    width: z.number().int().min(0).max(8192),
    gap_secs: z.number().min(0).max(3600),
  })
  .refine(({ min_frames, max_frames }) => min_frames <= max_frames, {
    error: "At least as many frames as at most: the fewest are more than the most.",
  });

export const keyframesRouter = router({
  get: procedure
    .input(ClipId.extend({ settings: Settings.optional() }))
    .query(({ ctx, input }) => ctx.app.keyframes.get(input.clip_id, input.settings ?? SIGHTLINE_SETTINGS)),
  saved: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.keyframes.getSaved(input.clip_id)),
  extract: procedure
    .input(ClipId.extend({ settings: Settings.optional() }))
    .mutation(({ ctx, input }) =>
      ctx.app.keyframes.extract(input.clip_id, input.settings ?? SIGHTLINE_SETTINGS),
    ),
  select: procedure
    .input(ClipId.extend({ settings: Settings }))
    .query(({ ctx, input }) => ctx.app.keyframes.select(input.clip_id, input.settings)),
});
