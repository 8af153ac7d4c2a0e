import { TRPCError } from "@trpc/server";
import type { Runs } from "./service.ts";

const later = (): never => {
  throw new TRPCError({ code: "NOT_IMPLEMENTED", message: "Runs cannot be started yet." });
};

/** Placeholder until the store stands. */
export function createRuns(): Runs {
  return {
    list: () => [],
    get: later,
    presets: () => [],
    launch: later,
    stop: later,
    resume: later,
    trash: later,
    restore: later,
    rename: later,
    window: later,
    completions: later,
    log: later,
    follow: later,
    followList: later,
    start() {},
    async close() {},
  };
}
