import type {
  HostCheck,
  HostContact,
  HostEvent,
  HostEventKind,
  HostSummary,
  PrepareProfile,
  UsageBatch,
} from "@sightline/core/hosts";
import type { Executor } from "../../executors/executor.ts";

/** Where a host is. `port` null: as ssh's own config says. */
export type HostAddress = { address: string; port: number | null };

/** Hosts as the rest of the server sees them. Methods throw a TRPCError with what to do. */
export type Hosts = {
  /**
   * All hosts with what a doctor last found; looks again where that is old. A host that takes long to answer is told of
   * as it was last seen.
   */
  list(): Promise<Omit<HostSummary, "active_runs">[]>;
  /** The list at once and after each change; while somebody follows, the hosts are looked at now and then. */
  follow(signal: AbortSignal): AsyncGenerator<Omit<HostSummary, "active_runs">[]>;
  /** How busy the hosts were in the last hour, and each new measurement. */
  followUsage(signal: AbortSignal): AsyncGenerator<UsageBatch[]>;
  /** What happened to a host, newest first, at once and after each event. */
  followEvents(host_id: string, signal: AbortSignal): AsyncGenerator<HostEvent[]>;
  /** Writes down something that happened to a host. */
  note(host_id: string, kind: HostEventKind, says: string): void;
  ids(): string[];
  /** The way to reach a host, also one that was detached: its runs still name it. */
  executor(host_id: string): Executor;
  /** Throws when nothing can be started on the host now. */
  ensureUsable(host_id: string): Promise<void>;

  /** First look at an address: what it is and by which key it shows itself. Nothing is trusted and nobody logs in. */
  contact(address: HostAddress, signal: AbortSignal): Promise<HostContact>;
  /**
   * Trusts the key of this fingerprint, if the host still shows it.
   *
   * @param is_replacement  Also where another key was known: a person has found out why it changed.
   */
  confirm(
    address: HostAddress,
    fingerprint: string,
    is_replacement: boolean,
    signal: AbortSignal,
  ): Promise<HostContact>;
  /** Writes a host down. One that was detached from the same address and folder comes back under its old id. */
  attach(host: HostAddress & { name: string; root: string }): { host_id: string };
  /** Looks at everything anew, and tries again what had been given up. */
  doctor(host_id: string, signal: AbortSignal): Promise<HostCheck[]>;
  /** Makes or adopts what trains there. It goes on where it was begun, and by itself while the host is away. */
  prepare(
    host_id: string,
    order: { profile: PrepareProfile; python: string | null; is_repair: boolean },
  ): Promise<{ job_id: string }>;
  /** The interpreter that trains on an attached host; throws when it is not prepared. */
  trainer(host_id: string): string;
  /** GPUs (bytes of each) and free disk of a host as it was last seen; null where nothing is known. */
  room(host_id: string): { gpus: number[] | null; disk_free_bytes: number | null };
  rename(host_id: string, name: string): void;
  /** Takes a host off the list. Nothing on it is touched. @throws where a run there has not ended. */
  detach(host_id: string): void;
  restore(host_id: string): void;
  /** Goes on with preparations that were under way when the server ended. */
  start(): void;
  close(): Promise<void>;
};
