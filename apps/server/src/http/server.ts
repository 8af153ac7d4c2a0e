import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import fastify, { type FastifyInstance } from "fastify";
import type { App } from "../app.ts";
import { type AppRouter, appRouter } from "../router.ts";

/** Builds the HTTP server of an app; the caller listens and closes. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const server = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 5000 } });
  await server.register(fastifyTRPCPlugin, {
    prefix: "/trpc",
    trpcOptions: {
      router: appRouter,
      createContext: () => ({ app }),
    } satisfies FastifyTRPCPluginOptions<AppRouter>["trpcOptions"],
  });
  return server;
}
