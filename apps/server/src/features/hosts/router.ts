import { procedure, router } from "../../trpc.ts";

export const hostsRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.hosts.list()),
});
