import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const HubId = z.object({ id: z.string().max(500) });

export const policiesRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.policies.list()),
  /** Address of the hub from which models are fetched. */
  hub: procedure.query(({ ctx }) => ctx.app.policies.hub.address),
  addHubModel: procedure.input(HubId).mutation(({ ctx, input }) => ctx.app.policies.hubModels.add(input.id)),
  removeHubModel: procedure
    .input(HubId)
    .mutation(({ ctx, input }) => ctx.app.policies.hubModels.remove(input.id)),
});
