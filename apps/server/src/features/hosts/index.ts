import { TRPCError } from "@trpc/server";
import type { Hosts } from "./service.ts";

/** Placeholder until the local executor stands. */
export function createHosts(): Hosts {
  return {
    list: () => [],
    executor: (host_id) => {
      throw new TRPCError({ code: "NOT_FOUND", message: `There is no host ${host_id}.` });
    },
    async close() {},
  };
}
