import type { HostSummary } from "@sightline/core/runs";
import type { Executor } from "../../executors/executor.ts";

/** Hosts as the rest of the server sees them. */
export type Hosts = {
  /** All hosts with what a doctor last found; looks again where that is old. */
  list(): Promise<Omit<HostSummary, "active_runs">[]>;
  ids(): string[];
  /** The way to reach a host. Throws a TRPCError when there is no such host. */
  executor(host_id: string): Executor;
  /** Throws a TRPCError with what to do when nothing can be started on the host now. */
  ensureUsable(host_id: string): Promise<void>;
  close(): Promise<void>;
};
