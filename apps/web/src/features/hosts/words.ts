import type { ExecutorKind, HostCheckId, HostEventKind, HostState, HostSummary } from "@sightline/core/hosts";
import type { Tone } from "@sightline/ui/status";

/** A host's state in a word, a shape and a sentence. */
export const HOST_STATES: Record<HostState, { tone: Tone; label: string; meaning: string }> = {
  ready: { tone: "done", label: "Ready", meaning: "It answers and takes runs." },
  connecting: { tone: "busy", label: "Connecting", meaning: "It is being asked." },
  unreachable: {
    tone: "waiting",
    label: "Unreachable",
    meaning: "No answer. What runs there goes on; it is read when the host is back.",
  },
  unusable: { tone: "wrong", label: "Takes no runs", meaning: "It answers and can't take runs." },
  unconfirmed: {
    tone: "part",
    label: "Key not confirmed",
    meaning: "Nobody has said yet that its key is the right one.",
  },
  refused: { tone: "wrong", label: "Refused", meaning: "Nothing is tried until a person has looked." },
};

const EXECUTORS: Record<ExecutorKind, string> = {
  local: "Where Sightline runs",
  ssh: "SSH",
  slurm: "Slurm cluster",
  ray: "Ray cluster",
};

/** "SSH · ana@box:2222" */
export function describePlace({ executor, address, port }: HostSummary): string {
  if (address === null) return EXECUTORS[executor];
  return `${EXECUTORS[executor]} · ${address}${port === null ? "" : `:${port}`}`;
}

export const CHECK_NAMES: Record<HostCheckId, string> = {
  reachable: "Reachable",
  noise: "Quiet login",
  python: "Python",
  versions: "Supervisor",
  gpus: "GPUs",
  memory: "Memory",
  disk: "Disk",
  root: "Folder for runs",
  linger: "Runs outlive log-out",
  clock: "Clock",
  environment: "Trainer",
};

export const EVENT_WORDS: Record<HostEventKind, { tone: Tone; label: string }> = {
  attached: { tone: "quiet", label: "Attached" },
  renamed: { tone: "quiet", label: "Renamed" },
  detached: { tone: "quiet", label: "Detached" },
  restored: { tone: "quiet", label: "Brought back" },
  confirmed: { tone: "done", label: "Key confirmed" },
  unreachable: { tone: "waiting", label: "Unreachable" },
  refused: { tone: "wrong", label: "Refused" },
  unusable: { tone: "wrong", label: "Takes no runs" },
  back: { tone: "done", label: "Back" },
  rebooted: { tone: "part", label: "Rebooted" },
  prepared: { tone: "done", label: "Trainer ready" },
  prepare_failed: { tone: "wrong", label: "Not prepared" },
  disk_low: { tone: "wrong", label: "Disk low" },
  disk_fine: { tone: "done", label: "Disk fine" },
  clock_off: { tone: "part", label: "Clock off" },
  clock_right: { tone: "done", label: "Clock right" },
  watching: { tone: "quiet", label: "Watching" },
};
