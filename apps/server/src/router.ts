import { procedure, router } from "./trpc.ts";

export const appRouter = router({
  health: procedure.query(() => ({ ok: true })),
});

/** The only thing that the browser takes from the server. */
export type AppRouter = typeof appRouter;
