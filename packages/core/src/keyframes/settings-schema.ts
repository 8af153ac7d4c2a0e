import { z } from "zod";

/** Settings as they come from outside: a page, a command line. */
export const KeyFrameSettingsSchema = z
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
