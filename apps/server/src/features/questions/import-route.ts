import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { FastifyInstance } from "fastify";
import type { Questions } from "./types.ts";

/** How large a file of questions may be, in bytes. */
const MOST_BYTES = 128 * 2 ** 20;
const MAX_NAME = 200;

/**
 * Takes a file of questions as the body of one request, `application/offset+octet-stream`, its name in `?name=`.
 *
 * It answers with what `importFile` says, or `{ message }`.
 */
export function registerImportRoute(server: FastifyInstance, questions: Questions): void {
  server.post<{ Querystring: { name?: string } }>("/questions/import", async (request, reply) => {
    const length = Number(request.headers["content-length"] ?? Number.NaN);
    // The rest of a body that is refused would otherwise be read as the next request.
    const refuse = (code: number, message: string) =>
      reply.code(code).header("connection", "close").send({ message });
    if (!Number.isFinite(length)) return refuse(411, "The size of the file must be given.");
    if (length > MOST_BYTES)
      return refuse(
        413,
        `A file of questions may have ${MOST_BYTES / 2 ** 20} MB. Split it, then import the parts.`,
      );
    const bytes = await readBody(request.raw);
    if (bytes.length !== length) return refuse(400, "The file broke off on its way. Import it again.");
    try {
      return await questions.importFile(cleanName(request.query.name ?? ""), bytes);
    } catch (error) {
      if (!(error instanceof TRPCError)) throw error;
      return reply.code(getHTTPStatusCodeFromError(error)).send({ message: error.message });
    }
  });
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A name that can be shown on one line. */
function cleanName(name: string): string {
  const line = (name.split(/[\\/]/).at(-1) ?? "").replace(/[\p{Cc}\p{Bidi_Control}]/gu, "").trim();
  return line.slice(0, MAX_NAME) || "questions";
}
