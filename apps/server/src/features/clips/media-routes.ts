import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DecoderPool } from "../../media/decoder-pool.ts";
import { FILMSTRIP_WIDTH, POSTER_WIDTH } from "../../media/tasks.ts";
import type { Library } from "./library.ts";
import { getProxyFile } from "./proxies.ts";
import { getThumbsDir } from "./reading.ts";

type Parts = { library: Library; pool: DecoderPool };
type ClipParams = { clip_id: string };
type FrameParams = ClipParams & { frame: string };

const FOREVER = "private, max-age=31536000, immutable";
/** Widths that a frame is drawn at; a request gets the next one up. */
const WIDTHS = [FILMSTRIP_WIDTH, POSTER_WIDTH, 1280, 1920, 3840];

const TYPES: readonly (readonly [string, string])[] = [
  ["mov", "video/mp4"],
  ["matroska", "video/x-matroska"],
  ["avi", "video/x-msvideo"],
  ["gif", "image/gif"],
  ["mpegts", "video/mp2t"],
];

/** Serves a clip's bytes and pictures. */
export function registerMediaRoutes(server: FastifyInstance, { library, pool }: Parts) {
  server.get<{ Params: ClipParams }>("/media/clips/:clip_id/original", (request, reply) =>
    answer(reply, async () => {
      const { clip_id, container } = library.get(request.params.clip_id);
      const type = TYPES.find(([name]) => container?.startsWith(name))?.[1] ?? "application/octet-stream";
      return sendRange(request, reply, library.getFile(clip_id), type, FOREVER);
    }),
  );

  server.get<{ Params: ClipParams }>("/media/clips/:clip_id/proxy", (request, reply) =>
    answer(reply, async () => {
      const { clip_id } = library.get(request.params.clip_id);
      return sendRange(request, reply, getProxyFile(library.getFolder(clip_id)), "video/mp4", "no-cache");
    }),
  );

  server.get<{ Params: FrameParams; Querystring: { width?: string } }>(
    "/media/clips/:clip_id/frames/:frame",
    (request, reply) =>
      answer(reply, async () => {
        const { clip_id, frame } = request.params;
        const ordinal = parseOrdinal(frame.replace(/\.jpg$/, ""));
        const asked = Number(request.query.width ?? FILMSTRIP_WIDTH);
        const width = WIDTHS.find((one) => one >= asked) ?? FILMSTRIP_WIDTH;
        const jpeg = (await readThumb(clip_id, ordinal, width)) ?? (await drawFrame(clip_id, ordinal, width));
        return reply.type("image/jpeg").header("cache-control", FOREVER).send(jpeg);
      }),
  );

  server.get<{ Params: FrameParams }>("/media/clips/:clip_id/luma/:frame", (request, reply) =>
    answer(reply, async () => {
      const { clip_id, frame } = request.params;
      const ordinal = parseOrdinal(frame);
      const index = library.getFrames(clip_id);
      const luma = await pool.run(
        "luma",
        { file: library.getFile(clip_id), index, ordinal },
        { lane: "interactive" },
      );
      if (!luma) throw noFrame(ordinal);
      return reply
        .headers({
          "x-width": luma.width,
          "x-height": luma.height,
          "x-full-range": luma.full_range ? 1 : 0,
          "cache-control": FOREVER,
        })
        .type("application/octet-stream")
        .send(Buffer.from(luma.data.buffer, luma.data.byteOffset, luma.data.byteLength));
    }),
  );

  async function readThumb(clip_id: string, ordinal: number, width: number): Promise<Buffer | null> {
    const folder = getThumbsDir(library.getFolder(library.get(clip_id).clip_id));
    const name =
      width === FILMSTRIP_WIDTH
        ? `${ordinal}.jpg`
        : ordinal === 0 && width === POSTER_WIDTH
          ? "poster.jpg"
          : null;
    return name === null ? null : readFile(join(folder, name)).catch(() => null);
  }

  async function drawFrame(clip_id: string, ordinal: number, width: number): Promise<Buffer> {
    const index = library.getFrames(clip_id);
    const { pixel_aspect } = library.get(clip_id);
    const file = library.getFile(clip_id);
    const jpeg = await pool.run(
      "jpeg",
      { file, index, ordinal, width, pixel_aspect },
      { lane: "interactive" },
    );
    if (!jpeg) throw noFrame(ordinal);
    return Buffer.from(jpeg);
  }
}

function parseOrdinal(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw noFrame(text);
  return Number(text);
}

function noFrame(ordinal: number | string): TRPCError {
  return new TRPCError({ code: "NOT_FOUND", message: `The clip has no frame ${ordinal}.` });
}

/** Turns what goes wrong into an answer with a sentence. */
async function answer(reply: FastifyReply, work: () => Promise<unknown>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    return reply.code(getHTTPStatusCodeFromError(error)).send({ message: error.message });
  }
}

/** Sends a file, or the one range of it that was asked for. */
async function sendRange(
  request: FastifyRequest,
  reply: FastifyReply,
  file: string,
  type: string,
  cacheControl: string,
) {
  const found = await stat(file).catch(() => null);
  if (!found) throw new TRPCError({ code: "NOT_FOUND", message: "This file has not been made yet." });
  const { size, mtimeMs } = found;
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  reply.headers({ "accept-ranges": "bytes", "cache-control": cacheControl, etag }).type(type);
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();

  const asked =
    request.headers["if-range"] === undefined || request.headers["if-range"] === etag
      ? request.headers.range
      : undefined;
  const range = parseRange(asked, size);
  if (range === "unsatisfiable") {
    return reply.code(416).header("content-range", `bytes */${size}`).send();
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${size}`);
  reply.header("content-length", end - start + 1);
  // Fastify answers HEAD by this route, reads what it would have sent to its end, and keeps the header of a stream.
  const empty = request.method === "HEAD" || size === 0;
  return reply.send(empty ? Readable.from([]) : createReadStream(file, { start, end }));
}

/** @returns Null for the whole file: no header, or several ranges, which are not served apart. */
function parseRange(header: string | undefined, size: number) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  const [first, last] = [match[1] ?? "", match[2] ?? ""];
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? ("unsatisfiable" as const) : { start, end };
}
