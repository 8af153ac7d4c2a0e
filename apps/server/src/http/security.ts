import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { doorPage, type Session } from "./session.ts";

/** Request bodies other than uploads end here, in bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;

const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const BODY_TYPES = new Set(["application/json", "application/offset+octet-stream"]);

/**
 * Looks at every request before its route does, streams included.
 *
 * The server starts processes, so a request that slips in is a shell. A page of another site must not reach it
 * (Host stops DNS rebinding; Origin, Sec-Fetch-Site and the body's type stop forms and scripts), and neither
 * may another program of this machine that doesn't hold the token (cookie).
 */
export function registerSecurity(server: FastifyInstance, session: Session) {
  server.addHook("onRequest", async (request, reply) => {
    const refusal = findRefusal(request, session);
    if (refusal !== null) return refuse(request, reply, refusal);
  });
}

type Refusal = { status: 401 | 403 | 415; message: string };

function findRefusal(request: FastifyRequest, session: Session): Refusal | null {
  const { headers, socket } = request.raw;
  const host = parseHost(headers.host);
  if (host === null || !LOOPBACK_NAMES.has(host.name) || host.port !== socket.localPort) {
    return { status: 403, message: "This server answers only to its own loopback address." };
  }
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return { status: 403, message: "This server does not answer to other sites." };
  }
  const site = headers["sec-fetch-site"];
  const comesFromElsewhere = site !== undefined && site !== "same-origin" && site !== "none";
  if (comesFromElsewhere) {
    return { status: 403, message: "This server does not answer to other sites. Paste the address instead." };
  }
  if (!SAFE_METHODS.has(request.method)) {
    if (headers.origin === undefined && site !== "same-origin") {
      return { status: 403, message: "A change needs an Origin header of this server." };
    }
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    if ((hasBody || type !== undefined) && !BODY_TYPES.has(type ?? "")) {
      return { status: 415, message: "A change is sent as application/json." };
    }
  }
  if (request.routeOptions.url !== "/enter" && !session.isOpen(request)) {
    return { status: 401, message: "This browser is not known to Sightline yet." };
  }
  return null;
}

function parseHost(header: string | undefined): { name: string; port: number } | null {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(header ?? "");
  if (match?.[1] === undefined) return null;
  return { name: match[1].toLowerCase(), port: Number(match[2] ?? 80) };
}

function refuse(request: FastifyRequest, reply: FastifyReply, { status, message }: Refusal) {
  reply.code(status).header("connection", "close");
  const wantsPage = request.headers.accept?.includes("text/html") === true;
  return wantsPage ? reply.type("text/html; charset=utf-8").send(doorPage(message)) : reply.send({ message });
}

/** What a page or worker of ours may load and run; `scripts` and `connect` are sources beyond our own. */
export function contentSecurityPolicy({
  scripts = [],
  connect = [],
}: {
  scripts?: readonly string[];
  connect?: readonly string[];
} = {}): string {
  return [
    "default-src 'self'",
    `script-src ${["'self'", "'wasm-unsafe-eval'", ...scripts].join(" ")}`,
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self' data:",
    `connect-src ${["'self'", "blob:", "data:", ...connect].join(" ")}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Adds the headers that every answer carries. */
export function registerSecurityHeaders(server: FastifyInstance) {
  const headers = {
    "content-security-policy": contentSecurityPolicy(),
    // Both are needed for crossOriginIsolated, without which wasm has no threads.
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
  server.addHook("onRequest", async (_request, reply) => {
    reply.headers(headers);
    // Routes that answer on the raw response (streams, uploads) must carry them too.
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value);
  });
}
