import { procedure, router } from "../../trpc.ts";

export const policiesRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.policies.list()),
});
