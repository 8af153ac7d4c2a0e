import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { FastifyInstance } from "fastify";
import type { Exchange } from "./index.ts";
import { toDisposition } from "./names.ts";

/** How large a handed file may be: a key-frame video can be long. */
const MOST_BYTES = 2 ** 30;
const MAX_PATH = 400;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Hands out exports, and takes files that are to be imported: each as the body of one request of
 * `application/offset+octet-stream`, its name with folders in `?path=`. Files of one `import_id` belong together.
 */
export function registerExchangeRoutes(server: FastifyInstance, { exports, imports }: Exchange): void {
  server.get<{ Params: { export_id: string } }>("/exchange/exports/:export_id", async (request, reply) => {
    try {
      const { file, name } = exports.getFile(request.params.export_id);
      const { size } = await stat(file);
      reply
        .headers({
          "content-disposition": toDisposition(name),
          "content-length": size,
          "cache-control": "no-store",
        })
        .type("application/octet-stream");
      return reply.send(request.method === "HEAD" ? Readable.from([]) : createReadStream(file));
    } catch (error) {
      if (!(error instanceof TRPCError)) throw error;
      return reply.code(getHTTPStatusCodeFromError(error)).send({ message: error.message });
    }
  });

  server.post<{ Params: { import_id: string }; Querystring: { path?: string } }>(
    "/exchange/imports/:import_id/files",
    async (request, reply) => {
      const { import_id } = request.params;
      const length = Number(request.headers["content-length"] ?? Number.NaN);
      // The rest of a body that is refused would otherwise be read as the next request.
      const refuse = (code: number, message: string) =>
        reply.code(code).header("connection", "close").send({ message });
      if (!UUID.test(import_id)) return refuse(400, "An import is named by a UUID.");
      if (!Number.isFinite(length)) return refuse(411, "The size of the file must be given.");
      if (length > MOST_BYTES)
        return refuse(413, `A file may have ${MOST_BYTES / 2 ** 20} MB. Split it, then import the parts.`);
      const placed = await imports.place(import_id).catch((error: unknown) => {
        if (error instanceof TRPCError) return error;
        throw error;
      });
      if (placed instanceof TRPCError) return refuse(getHTTPStatusCodeFromError(placed), placed.message);
      const counted = countBytes();
      try {
        await pipeline(request.raw, counted.stream, createWriteStream(placed.file));
        if (counted.get() !== length) return refuse(400, "The file broke off on its way. Choose it again.");
        await placed.take(cleanPath(request.query.path ?? ""));
        return { taken: true };
      } finally {
        await rm(placed.file, { force: true });
      }
    },
  );
}

function countBytes() {
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, get: () => bytes };
}

/** A path that can be shown on one line; it is only ever shown and compared, never opened. */
function cleanPath(path: string): string {
  const line = path
    .replaceAll("\\", "/")
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "")
    .trim();
  return line.slice(-MAX_PATH) || "file";
}
