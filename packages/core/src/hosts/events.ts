/**
 * What can happen to a host. Three of them open a trouble of its link that `back` ends; `disk_low` and `clock_off` are
 * ended by `disk_fine` and `clock_right`.
 */
export const HOST_EVENT_KINDS = [
  "attached",
  "renamed",
  "detached",
  "restored",
  "confirmed",
  "unreachable",
  "refused",
  "unusable",
  "back",
  "rebooted",
  "prepared",
  "prepare_failed",
  "disk_low",
  "disk_fine",
  "clock_off",
  "clock_right",
  "watching",
] as const;

export type HostEventKind = (typeof HOST_EVENT_KINDS)[number];

/** One thing that happened to a host; kept for good. */
export type HostEvent = {
  event_id: number;
  host_id: string;
  time_secs: number;
  kind: HostEventKind;
  /** A sentence. */
  says: string;
};
