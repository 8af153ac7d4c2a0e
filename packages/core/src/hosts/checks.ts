import { formatBytes } from "../format/index.ts";
import type { HostCheck, HostCheckId, HostEnvironment, HostFacts } from "./types.ts";
import { HOST_CHECKS } from "./types.ts";

const LOW_MEMORY_BYTES = 1e9;
const LOW_DISK_BYTES = 2e9;
const NO_DISK_BYTES = 200e6;
const CLOCK_SECS = 5;

type Finding = Omit<HostCheck, "id">;

const ok = (says: string): Finding => ({ state: "ok", says, mend: null });
const warn = (says: string, mend: string): Finding => ({ state: "warn", says, mend });
const fail = (says: string, mend: string): Finding => ({ state: "fail", says, mend });

/** Why no facts could be had, in the place of the check that it belongs to. */
export type NoFacts = { id: HostCheckId; says: string; mend: string };

/**
 * The doctor's checks in the order of the page: what was found, and how to mend what is wrong. Those behind a failure
 * that hides them are unknown.
 */
export function checkHost(found: HostFacts | NoFacts, environment: HostEnvironment | null): HostCheck[] {
  if ("id" in found) {
    const at = HOST_CHECKS.indexOf(found.id);
    return HOST_CHECKS.map((id, index) => {
      if (id === found.id) return { id, ...fail(found.says, found.mend) };
      if (index < at && id === "reachable") return { id, ...ok("It answers.") };
      return { id, state: "unknown", says: "It could not be looked at.", mend: null };
    });
  }
  const findings: Record<HostCheckId, Finding> = {
    reachable: ok(`It answers as ${found.user} on ${found.hostname}.`),
    noise: checkNoise(found),
    python: ok(`Python ${found.python} at ${found.python_path}.`),
    versions: ok(`Supervisor ${found.slctl}.`),
    gpus: checkGpus(found),
    memory: checkMemory(found),
    disk: checkDisk(found),
    root: checkFolder(found),
    linger: checkLinger(found),
    clock: checkClock(found),
    environment: checkEnvironment(environment),
  };
  return HOST_CHECKS.map((id) => ({ id, ...findings[id] }));
}

function checkNoise({ noise_bytes }: HostFacts): Finding {
  if (noise_bytes === 0) return ok("The login shell is quiet.");
  return warn(
    `The login shell prints ${formatBytes(noise_bytes)} before anything else; Sightline skips it.`,
    "Print only in interactive shells: in ~/.bashrc return early where $- holds no i. Other tools over ssh (scp, rsync) break on it.",
  );
}

function checkGpus({ gpus, gpu_problem }: HostFacts): Finding {
  if (gpu_problem !== null)
    return warn(
      `The GPU's driver complains: ${gpu_problem}`,
      "Look at nvidia-smi on the host; a reboot often mends it.",
    );
  if (gpus.length === 0) return ok("No GPU; small presets train on the processor.");
  return ok(gpus.map(({ name, memory_bytes }) => `${name}, ${formatBytes(memory_bytes)}`).join("; "));
}

function checkMemory({ memory_bytes, memory_free_bytes }: HostFacts): Finding {
  const says = `${formatBytes(memory_free_bytes)} of ${formatBytes(memory_bytes)} are free.`;
  if (memory_free_bytes >= LOW_MEMORY_BYTES) return ok(says);
  return warn(says, "The tiny preset needs about 1 GB: end what uses the memory, or launch elsewhere.");
}

function checkDisk({ disk_bytes, disk_free_bytes }: HostFacts): Finding {
  const says = `${formatBytes(disk_free_bytes)} of ${formatBytes(disk_bytes)} are free where runs lie.`;
  if (disk_free_bytes >= LOW_DISK_BYTES) return ok(says);
  const mend = "Free some space there, or attach the host with another folder for runs.";
  return disk_free_bytes < NO_DISK_BYTES ? fail(says, mend) : warn(says, mend);
}

function checkFolder({ root_is_writable, root_has_locks, root_problem }: HostFacts): Finding {
  if (!root_is_writable)
    return fail(
      `Nothing can be written where runs lie${root_problem === null ? "" : `: ${root_problem}`}.`,
      "Give the account a folder that it may write, and attach the host with it.",
    );
  if (!root_has_locks)
    return fail(
      "The file system where runs lie has no file locks, by which a living run is told from a dead one.",
      "Attach the host with a folder on a local disk.",
    );
  return ok("Runs can be written.");
}

function checkLinger({ linger, kill_user_processes }: HostFacts): Finding {
  if (kill_user_processes !== true || linger === true) return ok("Processes go on after log-out.");
  return fail(
    "The host ends a user's processes at log-out, runs among them.",
    "Let them linger: loginctl enable-linger, once, on the host.",
  );
}

function checkClock({ clock_offset_secs }: HostFacts): Finding {
  const offset = Math.abs(clock_offset_secs);
  if (offset < CLOCK_SECS) return ok("Its clock agrees with ours.");
  const side = clock_offset_secs > 0 ? "ahead of" : "behind";
  return warn(
    `Its clock is ${describeSecs(offset)} ${side} ours. Lines are ordered by number, so nothing is lost; times of day are the host's.`,
    "Set the clock by NTP: timedatectl set-ntp true.",
  );
}

function describeSecs(secs: number): string {
  if (secs < 120) return `${Math.round(secs)} s`;
  return secs < 7200 ? `${Math.round(secs / 60)} min` : `${Math.round(secs / 3600)} h`;
}

function checkEnvironment(environment: HostEnvironment | null): Finding {
  if (environment === null) return { state: "unknown", says: "It was not asked for.", mend: null };
  const { state, versions, problem } = environment;
  if (state === "ready")
    return ok(
      Object.entries(versions ?? {})
        .filter(([, version]) => version !== false)
        .map(([name, version]) => (version === true ? name.toUpperCase() : `${name} ${version}`))
        .join(" · "),
    );
  if (state === "preparing")
    return warn("The trainer is being prepared.", "Wait; simulated runs can start now.");
  return warn(
    problem ?? "The trainer is not prepared; simulated runs need none.",
    "Prepare it here, or adopt an interpreter that has PyTorch and TRL.",
  );
}
