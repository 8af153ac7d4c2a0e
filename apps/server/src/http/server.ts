import cookie from "@fastify/cookie";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import fastify, { type FastifyInstance } from "fastify";
import type { App } from "../app.ts";
import { loadInstallToken } from "../data-folder/token.ts";
import { registerKeyFrameRoutes } from "../features/keyframes/index.ts";
import { registerPolicyRoutes } from "../features/policies/index.ts";
import { registerImportRoute } from "../features/questions/index.ts";
import { type AppRouter, appRouter } from "../router.ts";
import { BODY_LIMIT, registerSecurity, registerSecurityHeaders } from "./security.ts";
import { createSession, registerSession } from "./session.ts";
import { registerWeb } from "./web.ts";

/** Builds the HTTP server of an app; the caller listens and closes. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const server = fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 5000 },
    bodyLimit: BODY_LIMIT,
  });
  const token = loadInstallToken(app.dataDir);
  const session = createSession(token);
  registerSecurityHeaders(server);
  await server.register(cookie);
  registerSecurity(server, session);
  registerSession(server, token, session);

  await server.register(fastifyTRPCPlugin, {
    prefix: "/trpc",
    trpcOptions: {
      router: appRouter,
      createContext: () => ({ app }),
    } satisfies FastifyTRPCPluginOptions<AppRouter>["trpcOptions"],
  });
  app.clips.registerRoutes(server);
  registerKeyFrameRoutes(server, app.keyframes);
  registerPolicyRoutes(server, app.policies);
  registerImportRoute(server, app.questions);
  await registerWeb(server, app.policies.hub.sources);
  return server;
}
