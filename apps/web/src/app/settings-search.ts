import { z } from "zod";

/** The part of an address that names key-frame settings; a value that makes no sense is as if it were absent. */
export const settingsSearch = {
  preset: z.enum(["sightline", "embodied-r"]).optional().catch(undefined),
  threshold: z.number().min(0).max(1).optional().catch(undefined),
  interval: z.number().min(0.01).max(3600).optional().catch(undefined),
  width: z.number().int().min(0).max(8192).optional().catch(undefined),
  least: z.number().int().min(0).max(10_000).optional().catch(undefined),
  most: z.number().int().min(2).max(10_000).optional().catch(undefined),
  gap: z.number().min(0).max(3600).optional().catch(undefined),
};

/** What may be tried on key-frames without a new look at the clip. */
export const triedSearch = z
  .object({
    threshold: settingsSearch.threshold,
    least: settingsSearch.least,
    most: settingsSearch.most,
  })
  .optional()
  .catch(undefined);
