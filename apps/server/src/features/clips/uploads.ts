import { mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { FileConfigstore, FileStore } from "@tus/file-store";
import { Server } from "@tus/server";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Library } from "./library.ts";

const GIB = 2 ** 30;

/** How much a library may hold, in bytes. */
export type Quota = { total_bytes: number; file_bytes: number };

export const DEFAULT_QUOTA: Quota = { total_bytes: 500 * GIB, file_bytes: 50 * GIB };

/** An unfinished upload is kept this long for its browser to come back. */
const EXPIRY_MS = 7 * 24 * 3600 * 1000;
const SWEEP_MS = 3600 * 1000;
/** What uploads leave free on the disk, in bytes. */
const DISK_RESERVE = GIB / 2;

type Parts = { dataDir: string; library: Library; sumBytes: () => number; quota: Quota; log: Logger };

/** What tus answers with, thrown by a hook. */
type Refusal = { status_code: number; body: string };

/**
 * Resumable uploads (tus protocol) into the library.
 *
 * A finished upload's answer carries `x-clip-id`, `x-clip-duplicate` (0 or 1) and, URI-encoded, `x-clip-note`.
 */
export type Uploads = {
  register(server: FastifyInstance): void;
  /** Brings in uploads that were complete when the server went down. */
  recover(): Promise<void>;
  close(): void;
};

export function createUploads({ dataDir, library, sumBytes, quota, log }: Parts): Uploads {
  const directory = join(dataDir, "uploads");
  mkdirSync(directory, { recursive: true });
  const configstore = new FileConfigstore(directory);
  const store = new FileStore({ directory, configstore, expirationPeriodInMilliseconds: EXPIRY_MS });

  /** Bytes that unfinished uploads have been promised. */
  const sumPromised = async () => {
    let sum = 0;
    for (const id of await configstore.list()) sum += (await configstore.get(id))?.size ?? 0;
    return sum;
  };

  const checkQuota = async (size: number | undefined) => {
    if (size === undefined) throw refusal(411, "The size of the file must be given.");
    if (size === 0) throw refusal(422, "The file is empty.");
    if (size > quota.file_bytes) {
      throw refusal(413, `The file has ${show(size)}; one file may have ${show(quota.file_bytes)}.`);
    }
    const promised = await sumPromised();
    const left = quota.total_bytes - sumBytes() - promised;
    if (size > left) {
      throw refusal(
        413,
        `The file has ${show(size)}; the library has room for ${show(Math.max(0, left))} more (of ${show(quota.total_bytes)}).`,
      );
    }
    const disk = await statfs(directory);
    const free = disk.bavail * disk.bsize - DISK_RESERVE;
    if (size > free) {
      throw refusal(507, `The file has ${show(size)}; the disk has room for ${show(Math.max(0, free))}.`);
    }
  };

  const bringIn = async (id: string, name: string | null | undefined) => {
    const added = await library.add({ path: join(directory, id), name: name ?? "Unnamed clip", move: true });
    await configstore.delete(id);
    return added;
  };

  const tus = new Server({
    path: "/uploads",
    datastore: store,
    relativeLocation: true,
    allowedOrigins: () => false,
    maxSize: quota.file_bytes,
    async onUploadCreate(_request, upload) {
      await checkQuota(upload.size);
      return {};
    },
    async onUploadFinish(_request, upload) {
      const { clip, duplicate, note } = await bringIn(upload.id, upload.metadata?.filename);
      return {
        headers: {
          "x-clip-id": clip.clip_id,
          "x-clip-duplicate": duplicate ? "1" : "0",
          ...(note !== null && { "x-clip-note": encodeURIComponent(note) }),
        },
      };
    },
    onResponseError(_request, error) {
      if (error instanceof Error) log.error({ err: error }, "an upload failed");
      return undefined;
    },
  });

  const sweep = setInterval(() => {
    tus.cleanUpExpiredUploads().catch((error: unknown) => log.error({ err: error }, "clearing old uploads"));
  }, SWEEP_MS);
  sweep.unref();

  return {
    register(server) {
      // The body goes to tus as a stream.
      server.addContentTypeParser("application/offset+octet-stream", (_request, _payload, done) =>
        done(null),
      );
      for (const url of ["/uploads", "/uploads/*"]) {
        server.route({
          method: ["POST", "HEAD", "PATCH", "DELETE", "OPTIONS"],
          url,
          async handler(request, reply) {
            reply.hijack();
            await tus.handle(request.raw, reply.raw);
          },
        });
      }
    },
    async recover() {
      await tus.cleanUpExpiredUploads();
      for (const id of await configstore.list()) {
        const upload = await store.getUpload(id).catch(() => null);
        if (upload === null) await configstore.delete(id);
        else if (upload.offset === upload.size) await bringIn(id, upload.metadata?.filename);
      }
    },
    close: () => clearInterval(sweep),
  };
}

function refusal(status_code: number, body: string): Refusal {
  return { status_code, body };
}

function show(bytes: number): string {
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GB`;
  return bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} kB`;
}
