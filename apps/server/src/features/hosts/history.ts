import { formatBytes } from "@sightline/core/format";
import type { HostEvent, HostEventKind, HostSummary } from "@sightline/core/hosts";
import type { Db } from "../../db/open.ts";
import { type Bell, createBell } from "../../live/follow.ts";

/** Below this a run may end for want of room; above the second the trouble is over, so that it does not flicker. */
const LOW_DISK_BYTES = 2e9;
const FINE_DISK_BYTES = 3e9;
const CLOCK_OFF_SECS = 60;
const CLOCK_RIGHT_SECS = 5;
const SHOWN = 200;

type Seen = Pick<HostSummary, "host_id" | "state" | "problem" | "facts" | "environment">;

/** What happened to each host, append-only. */
export type HostHistory = {
  /** Writes down what a person did, or what something else noticed. */
  note(host_id: string, kind: HostEventKind, says: string): void;
  /** Compares a look at a host with the one before and writes down what became different. */
  saw(host: Seen): void;
  sawEnvironment(host_id: string, environment: Seen["environment"]): void;
  sawDisk(host_id: string, free_bytes: number): void;
  /** The newest of a host, newest first. */
  list(host_id: string): HostEvent[];
  /** Rings at every event. */
  bell: Bell;
};

/** Kinds that end or open the same trouble: the newest of them says whether it is open. */
const LINK = ["unreachable", "refused", "unusable", "back"] as const satisfies HostEventKind[];
const DISK = ["disk_low", "disk_fine"] as const satisfies HostEventKind[];
const CLOCK = ["clock_off", "clock_right"] as const satisfies HostEventKind[];

export function createHostHistory(db: Db): HostHistory {
  const bell = createBell();
  const environments = new Map<string, Seen["environment"]>();
  const boots = new Map<string, string>();
  const insert = db.$client.prepare(
    "INSERT INTO host_events (host_id, time_secs, kind, says) VALUES (?, ?, ?, ?)",
  );
  const newest = db.$client.prepare<[string, string], { kind: HostEventKind }>(
    `SELECT kind FROM host_events WHERE host_id = ? AND kind IN (SELECT value FROM json_each(?))
     ORDER BY event_id DESC LIMIT 1`,
  );
  const shown = db.$client.prepare<[string, number], HostEvent>(
    "SELECT * FROM host_events WHERE host_id = ? ORDER BY event_id DESC LIMIT ?",
  );

  const note = (host_id: string, kind: HostEventKind, says: string) => {
    insert.run(host_id, Date.now() / 1000, kind, says);
    bell.ring();
  };
  const last = <K extends HostEventKind>(host_id: string, kinds: readonly K[]) =>
    newest.get(host_id, JSON.stringify(kinds))?.kind as K | undefined;

  const sawLink = ({ host_id, state, problem }: Seen) => {
    const known = last(host_id, LINK) ?? "back";
    if (state === "ready") {
      if (known !== "back") note(host_id, "back", "It answers again.");
    } else if ((state === "unreachable" || state === "refused" || state === "unusable") && known !== state)
      note(host_id, state, problem ?? "It does not answer.");
  };

  const sawDisk = (host_id: string, free_bytes: number) => {
    const is_low = last(host_id, DISK) === "disk_low";
    if (!is_low && free_bytes < LOW_DISK_BYTES)
      note(host_id, "disk_low", `${formatBytes(free_bytes)} are left where its runs lie.`);
    else if (is_low && free_bytes >= FINE_DISK_BYTES)
      note(host_id, "disk_fine", `${formatBytes(free_bytes)} are free again where its runs lie.`);
  };

  const sawClock = (host_id: string, offset_secs: number) => {
    const is_off = last(host_id, CLOCK) === "clock_off";
    const offset = Math.abs(offset_secs);
    if (!is_off && offset >= CLOCK_OFF_SECS) {
      const side = offset_secs > 0 ? "ahead of" : "behind";
      note(host_id, "clock_off", `Its clock is ${Math.round(offset)} s ${side} ours.`);
    } else if (is_off && offset < CLOCK_RIGHT_SECS)
      note(host_id, "clock_right", "Its clock agrees with ours again.");
  };

  const sawEnvironment = (host_id: string, now: Seen["environment"]) => {
    const earlier = environments.get(host_id) ?? null;
    environments.set(host_id, now);
    if (earlier === null || now === null) return;
    if (earlier.state !== "ready" && now.state === "ready")
      note(host_id, "prepared", "The trainer is ready.");
    if (earlier.state === "preparing" && now.state === "absent")
      note(host_id, "prepare_failed", now.problem ?? "The preparation was cancelled.");
  };

  return {
    bell,
    note,
    sawEnvironment,
    sawDisk,
    list: (host_id) => shown.all(host_id, SHOWN),
    saw(host) {
      const { host_id, facts, environment } = host;
      sawLink(host);
      sawEnvironment(host_id, environment);
      if (host.state !== "ready" || facts === null) return;
      const boot = boots.get(host_id);
      boots.set(host_id, facts.boot_id);
      if (boot !== undefined && boot !== facts.boot_id)
        note(host_id, "rebooted", "It was started anew: its boot id is another one.");
      sawDisk(host_id, facts.disk_free_bytes);
      sawClock(host_id, facts.clock_offset_secs);
    },
  };
}
