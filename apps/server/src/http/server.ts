import cookie from "@fastify/cookie";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { App } from "../app.ts";
import { explainFailure } from "../data-folder/explain-failure.ts";
import { loadInstallToken } from "../data-folder/token.ts";
import { registerBatchRoutes } from "../features/batches/index.ts";
import { registerExchangeRoutes } from "../features/exchange/index.ts";
import { registerKeyFrameRoutes } from "../features/keyframes/index.ts";
import { registerPolicyRoutes } from "../features/policies/index.ts";
import { registerImportRoute } from "../features/questions/index.ts";
import { type AppRouter, appRouter } from "../router.ts";
import { BODY_LIMIT, registerSecurity, registerSecurityHeaders } from "./security.ts";
import { createSession, registerSession } from "./session.ts";
import { registerWeb } from "./web.ts";

/** Errors that no route told in its own words, in the shape that pages read of any procedure. */
function registerErrorWords(server: FastifyInstance) {
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    const isTooLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
    const message = isTooLarge
      ? `This is more than the ${BODY_LIMIT / 2 ** 20} MB that can be sent at once. Shorten it, or send it in parts.`
      : explainFailure(error);
    const httpStatus = error.statusCode ?? 500;
    const code = isTooLarge
      ? "PAYLOAD_TOO_LARGE"
      : httpStatus < 500
        ? "BAD_REQUEST"
        : "INTERNAL_SERVER_ERROR";
    return reply
      .code(httpStatus)
      .send({ message, error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data: { code, httpStatus } } });
  });
}

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
  registerErrorWords(server);
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
  registerBatchRoutes(server, app.batches);
  registerKeyFrameRoutes(server, app.keyframes);
  registerExchangeRoutes(server, app.exchange);
  registerPolicyRoutes(server, app.policies);
  registerImportRoute(server, app.questions);
  await registerWeb(server, app.policies.hub.sources);
  return server;
}
