import { isEndState, type RunSpec } from "@sightline/core/runs";
import { validateStages } from "@sightline/core/schedules";
import { TRPCError } from "@trpc/server";
import type { RunRecord } from "./schema.ts";
import type { RunStore } from "./store.ts";
import type { WatchStore } from "./watch-store.ts";

/**
 * @param isLooking  Whether the server still looks for runs: one that is not known may yet be found.
 * @throws TRPCError where nobody knows the run, or nobody knows it yet.
 */
export function getKnownRun(store: RunStore, run_id: string, isLooking = false): RunRecord {
  const run = store.get(run_id);
  if (run) return run;
  if (isLooking)
    throw new TRPCError({
      code: "SERVICE_UNAVAILABLE",
      message: `The server has just started and still looks for runs, in its data folder and on its hosts. ${run_id} is shown here as soon as it is found.`,
    });
  throw new TRPCError({ code: "NOT_FOUND", message: `There is no run ${run_id}.` });
}

/** @throws TRPCError where nobody knows the sweep. */
export function getKnownSweep(store: RunStore, sweep_id: string) {
  const sweep = store.getSweep(sweep_id);
  if (!sweep) throw new TRPCError({ code: "NOT_FOUND", message: `There is no sweep ${sweep_id}.` });
  return sweep;
}

/** Whoever started a watched run decides over it. */
export function refuseWatched(watches: WatchStore, run: RunRecord, what: string): void {
  if (watches.get(run.run_id))
    throw new TRPCError({
      code: "PRECONDITION_FAILED",
      message: `${run.name} can't be ${what} from here: it was started elsewhere and is only watched.`,
    });
}

/** Refuses what could not run, with one sentence a fault. */
export function checkStages(stages: RunSpec["stages"]): void {
  const faults = validateStages(stages);
  if (faults.length > 0) throw new TRPCError({ code: "BAD_REQUEST", message: faults.join(" ") });
}

/** Why a run can't be resumed, in a sentence; null where it can. */
export function resumeHint(watches: WatchStore, run: RunRecord): string | null {
  if (!isEndState(run.state)) return "It has not ended.";
  if (run.state === "done") return "It is done.";
  if (run.state === "lost") return "Its directory is gone from the host; launch it again.";
  if (watches.get(run.run_id)) return "It was started elsewhere and is only watched.";
  if (run.recorded) return "It was recorded elsewhere.";
  if (run.trashed_secs !== null) return "It is in the trash; restore it first.";
  return null;
}
