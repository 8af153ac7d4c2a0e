import { initTRPC } from "@trpc/server";
import type { App } from "./app.ts";

export type Context = { app: App };

const t = initTRPC.context<Context>().create({
  sse: {
    ping: { enabled: true, intervalMs: 2000 },
    client: { reconnectAfterInactivityMs: 5000 },
  },
});

export const { router, procedure } = t;
