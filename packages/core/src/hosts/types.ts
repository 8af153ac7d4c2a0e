/** How a host is reached. */
export type ExecutorKind = "local" | "ssh" | "slurm" | "ray";

/**
 * ready: it answers; connecting: it is being asked; unreachable: no answer, which says nothing about the runs there;
 * unusable: it answers and can't take runs; unconfirmed: nobody has confirmed its key yet; refused: its key changed or
 * it lets us not in, and nothing is tried again until a person acts.
 */
export type HostState = "ready" | "connecting" | "unreachable" | "unusable" | "unconfirmed" | "refused";

/** A host as the hosts page and the launch page show it. */
export type HostSummary = {
  host_id: string;
  name: string;
  executor: ExecutorKind;
  /** As a person wrote it; null for this machine. */
  address: string | null;
  /** Null where ssh's own setting counts. */
  port: number | null;
  /** Folder of the run directories on the host: absolute, or `~/…`. */
  root: string;
  state: HostState;
  /** A sentence with what is wrong and what to do, or null. */
  problem: string | null;
  since_secs: number;
  facts: HostFacts | null;
  /** What trains there; null for this machine, which the page asks for by itself. */
  environment: HostEnvironment | null;
  /** Runs that have not ended. */
  active_runs: number;
};

/** A GPU as its driver tells of it. */
export type HostGpu = { name: string; memory_bytes: number };

/** What a doctor found on a host. */
export type HostFacts = {
  hostname: string;
  /** Account that runs belong to there. */
  user: string;
  python: string;
  python_path: string;
  /** Version of the supervisor that answers. */
  slctl: string;
  cpus: number;
  memory_bytes: number;
  memory_free_bytes: number;
  disk_bytes: number;
  disk_free_bytes: number;
  gpus: HostGpu[];
  /** What the driver complains of; null when of nothing. */
  gpu_problem: string | null;
  boot_id: string;
  /** The host's clock minus ours. */
  clock_offset_secs: number;
  /** The folder of runs, or the nearest one above it that exists. */
  root_is_writable: boolean;
  /** False where the file system has no locks, by which a living attempt is told from a dead one. */
  root_has_locks: boolean;
  /** Why it can't be written, in the system's words. */
  root_problem: string | null;
  /** Processes stay after log-out; null where the host does not say. */
  linger: boolean | null;
  /** The host ends a user's processes at log-out unless they linger; null where it does not say. */
  kill_user_processes: boolean | null;
  /** Bytes that the login shell printed before the first answer. */
  noise_bytes: number;
};

export const HOST_CHECKS = [
  "reachable",
  "noise",
  "python",
  "versions",
  "gpus",
  "memory",
  "disk",
  "root",
  "linger",
  "clock",
  "environment",
] as const;
/** One thing that a doctor looks at. */
export type HostCheckId = (typeof HOST_CHECKS)[number];

/** What a doctor found, in words, and how to mend it. */
export type HostCheck = {
  id: HostCheckId;
  /** warn: runs work, with a drawback; fail: runs don't; unknown: it could not be looked at. */
  state: "ok" | "warn" | "fail" | "unknown";
  says: string;
  /** What a person can do; null when there is nothing to mend. */
  mend: string | null;
};

/** A host's public key, as `ssh-keygen -l` names it. */
export type HostKey = {
  /** For instance `ssh-ed25519`. */
  type: string;
  /** `SHA256:` and 43 characters. */
  fingerprint: string;
};

/**
 * What a first look at an address showed; nothing is trusted by it.
 *
 * new: no known_hosts file names the host; known: its key is the one that is known; changed: another key is known;
 * unreachable: it did not show a key.
 */
export type HostContact = {
  state: "new" | "known" | "changed" | "unreachable";
  /** Name and port that ssh goes to after the user's own config was read; null when it could not be read. */
  target: { hostname: string; port: number; user: string; via: string | null } | null;
  /** Keys that the host showed; empty when unreachable. */
  host_keys: HostKey[];
  /** Keys that are known for it and differ; empty unless changed. */
  known_keys: HostKey[];
  /** A sentence with what to do; null when new or known. */
  problem: string | null;
};

/** cpu and cuda: an environment is made there; adopt: an interpreter that has the packages is taken as it is. */
export type PrepareProfile = "cpu" | "cuda" | "adopt";

/** What trains on a host. */
export type HostEnvironment = {
  /** preparing goes on by itself, also while the host can't be reached. */
  state: "absent" | "preparing" | "ready";
  profile: PrepareProfile | null;
  /** The interpreter that trains; null until it is ready. */
  python: string | null;
  /** torch, transformers, trl by their versions, and whether torch sees CUDA. */
  versions: Record<string, string | boolean> | null;
  /** A sentence with what to do, after a preparation that failed. */
  problem: string | null;
  /** The job that shows how far the preparation is, and by which it is cancelled; null when there is none. */
  job_id: string | null;
};
