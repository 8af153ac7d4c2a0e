import { hostsRouter } from "./features/hosts/router.ts";
import { runsRouter } from "./features/runs/router.ts";
import { procedure, router } from "./trpc.ts";

export const appRouter = router({
  hosts: hostsRouter,
  runs: runsRouter,
  health: procedure.query(() => ({ ok: true })),
});

/** The only thing that the browser takes from the server. */
export type AppRouter = typeof appRouter;
