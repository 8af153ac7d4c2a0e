import { FLIPS } from "@sightline/core/replay";
import { RewardWeights } from "@sightline/core/wire";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const RunId = z.object({ run_id: z.string().min(1).max(80) });
const ReplayId = z.object({ replay_id: z.string().min(1).max(80) });
/** Longer ones are answered with a fault that names the place. */
const FormulaText = z.string().max(20_000);

const Plan = z.object({
  rules: z.enum(["as_run", "sightline", "embodied-r"]),
  weights: z.array(RewardWeights).min(1).max(50).nullable(),
  formula: FormulaText.nullable(),
});

export const replayRouter = router({
  list: procedure.input(RunId).query(({ ctx, input }) => ctx.app.replays.list(input.run_id)),
  get: procedure.input(ReplayId).query(({ ctx, input }) => ctx.app.replays.get(input.replay_id)),
  start: procedure
    .input(
      RunId.extend({
        name: z.string().trim().min(1, { error: "The replay needs a name." }).max(200),
        plan: Plan,
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.replays.start(input)),
  cancel: procedure.input(ReplayId).mutation(({ ctx, input }) => ctx.app.replays.cancel(input.replay_id)),
  remove: procedure.input(ReplayId).mutation(({ ctx, input }) => ctx.app.replays.remove(input.replay_id)),
  restore: procedure.input(ReplayId).mutation(({ ctx, input }) => ctx.app.replays.restore(input.replay_id)),
  flips: procedure
    .input(
      ReplayId.extend({
        flip: z.enum(FLIPS).nullable().default(null),
        task: z.string().max(500).nullable().default(null),
        offset: z.int().min(0).default(0),
        limit: z.int().min(1).max(200).default(100),
      }),
    )
    .query(({ ctx, input: { replay_id, ...filter } }) => ctx.app.replays.flips(replay_id, filter)),
  check: procedure
    .input(z.object({ formula: FormulaText }))
    .query(({ ctx, input }) => ctx.app.replays.check(input.formula)),
  /** A number that rises with every change of any replay. */
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    let changes = 0;
    yield* follow(ctx.app.replays.bell, signal ?? new AbortController().signal, () => changes++);
  }),
});
