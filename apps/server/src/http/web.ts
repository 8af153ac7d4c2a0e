import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { contentSecurityPolicy } from "./security.ts";

/** Where `vite build` puts the web. */
const WEB_DIST = join(import.meta.dirname, "../../../web/dist");

const API = /^\/(trpc|media|uploads|enter)(\/|$)/;

/**
 * Serves the built web; any other path that a person can open is the single page, whose router takes it from there.
 *
 * @param hubSources  Where the policies' worker may fetch models, and nothing else of the web may.
 */
export async function registerWeb(server: FastifyInstance, hubSources: readonly string[]) {
  const scripts = ["'unsafe-eval'"];
  const workerPolicy = contentSecurityPolicy({ scripts });
  const policyWorkerPolicy = contentSecurityPolicy({ scripts, connect: hubSources });
  await server.register(fastifyStatic, {
    root: WEB_DIST,
    index: "index.html",
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(WEB_DIST, "assets"));
      reply.header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
      // A worker obeys the policy of its own file. OpenCV's glue code makes functions from text.
      if (!isHashed || !/worker[^/]*\.js$/.test(path)) return;
      const isPolicyWorker = basename(path).startsWith("policy-worker-");
      reply.header("content-security-policy", isPolicyWorker ? policyWorkerPolicy : workerPolicy);
    },
  });
  server.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const isPage = request.method === "GET" && request.headers.accept?.includes("text/html") === true;
    if (!isPage || API.test(path)) return reply.code(404).send({ message: `There is nothing at ${path}.` });
    if (!existsSync(join(WEB_DIST, "index.html"))) {
      return reply.code(503).type("text/plain").send("The web is not built yet: npm start builds it.\n");
    }
    return reply.sendFile("index.html");
  });
}
