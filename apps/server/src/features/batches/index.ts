import { writeFailuresCsv } from "@sightline/core/batches";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import type { FastifyInstance } from "fastify";
import type { Db } from "../../db/open.ts";
import { type Batches, createBatchService } from "./service.ts";
import { createBatchStore } from "./store.ts";

export type { Batches } from "./service.ts";

/** Call `startUp` once the app stands. */
export function createBatches({
  db,
  ...parts
}: { db: Db } & Omit<Parameters<typeof createBatchService>[0], "store">): Batches {
  return createBatchService({ store: createBatchStore(db), ...parts });
}

/** Serves the report of what failed, as a file to be saved. */
export function registerBatchRoutes(server: FastifyInstance, batches: Batches): void {
  for (const format of ["csv", "json"] as const) {
    server.get<{ Params: { batch_id: string } }>(
      `/media/batches/:batch_id/failures.${format}`,
      async ({ params: { batch_id } }, reply) => {
        try {
          const failures = batches.listFailures(batch_id);
          return reply
            .header("content-disposition", `attachment; filename="failures.${format}"`)
            .header("cache-control", "no-store")
            .type(format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8")
            .send(format === "csv" ? writeFailuresCsv(failures) : `${JSON.stringify(failures, null, 2)}\n`);
        } catch (error) {
          if (!(error instanceof TRPCError)) throw error;
          return reply.code(getHTTPStatusCodeFromError(error)).send({ message: error.message });
        }
      },
    );
  }
}
