import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { createDecoderPool } from "../../media/decoder-pool.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createKeyFrameService, type KeyFrames } from "./service.ts";
import { createKeyFrameStore } from "./store.ts";

export type { KeyFrames } from "./service.ts";

/** Call `start` once the app stands, and `close` before the jobs are closed. */
export function createKeyFrames({
  db,
  library,
  jobs,
  log,
}: {
  db: Db;
  library: Library;
  jobs: Jobs;
  log: Logger;
}): KeyFrames {
  const pool = createDecoderPool(Math.min(8, availableParallelism()));
  const service = createKeyFrameService({ store: createKeyFrameStore(db), library, jobs, pool, log });
  return {
    ...service,
    close() {
      service.close();
      pool.close();
    },
  };
}

type Params = { clip_id: string };
type Query = { settings_hash?: string };

/** Serves the features and pairs behind a selection, for a browser that selects by itself. */
export function registerKeyFrameRoutes(server: FastifyInstance, keyframes: KeyFrames): void {
  const kinds = { features: "application/octet-stream", pairs: "application/json" } as const;
  for (const kind of ["features", "pairs"] as const) {
    server.get<{ Params: Params; Querystring: Query }>(
      `/media/clips/:clip_id/${kind}`,
      async ({ params, query }, reply) => {
        try {
          const file = keyframes.getEvidence(params.clip_id, query.settings_hash ?? "")[kind];
          return await sendFile(reply, file, kinds[kind]);
        } catch (error) {
          if (!(error instanceof TRPCError)) throw error;
          return reply.code(getHTTPStatusCodeFromError(error)).send({ message: error.message });
        }
      },
    );
  }
}

async function sendFile(reply: FastifyReply, file: string, type: string) {
  const found = await stat(file).catch(() => null);
  if (!found) {
    throw new TRPCError({
      code: "NOT_FOUND",
      message: "The cached features are gone. Extract the key-frames again.",
    });
  }
  return reply
    .headers({ "content-length": found.size, "cache-control": "no-cache" })
    .type(type)
    .send(createReadStream(file));
}
