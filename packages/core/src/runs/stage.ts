import { z } from "zod";
import { RewardWeights } from "../wire/index.ts";

/** A stage as it comes from outside; `StageSpec` says what the fields mean. */
export const Stage = z.object({
  name: z.string().max(80),
  weights: RewardWeights,
  from_epoch: z.number(),
  to_epoch: z.number(),
  steps: z.int().min(1).optional(),
  learning_rate: z.number().positive().max(1).optional(),
  beta: z.number().min(0).max(10).optional(),
  temperature: z.number().positive().max(5).optional(),
});
