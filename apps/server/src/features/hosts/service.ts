import type { HostSummary } from "@sightline/core/runs";
import type { Executor } from "../../executors/executor.ts";

/** Hosts as the rest of the server sees them. */
export type Hosts = {
  list(): HostSummary[];
  /** The way to reach a host; throws when there is no such host. */
  executor(host_id: string): Executor;
  close(): Promise<void>;
};
