import type { AttemptSummary, RunState, RunSummary, VerdictState } from "@sightline/core/runs";
import type { Tone } from "@sightline/ui/status";

type Words = { tone: Tone; label: string; meaning: string };

/** A run's state in a word, a shape and a sentence. */
export const RUN_STATES: Record<RunState, Words> = {
  queued: { tone: "waiting", label: "queued", meaning: "It waits for its turn on the host." },
  launching: { tone: "waiting", label: "launching", meaning: "Its process is being started on the host." },
  running: { tone: "busy", label: "running", meaning: "It trains and reports." },
  stalled: {
    tone: "part",
    label: "stalled",
    meaning:
      "Its process lives but has reported nothing for a while. It may go on by itself; stop it if not.",
  },
  orphaned: {
    tone: "part",
    label: "orphaned",
    meaning: "It trains on without its supervisor. It is still read and can still be stopped.",
  },
  unreachable: {
    tone: "waiting",
    label: "unreachable",
    meaning:
      "The host does not answer. The run may well go on; what it writes is read when the host is back.",
  },
  stopping: {
    tone: "busy",
    label: "stopping",
    meaning: "It finishes its step, saves a checkpoint and ends.",
  },
  done: { tone: "quiet", label: "done", meaning: "It took all its steps." },
  stopped: {
    tone: "quiet",
    label: "stopped",
    meaning: "Somebody stopped it. It can go on from its checkpoint.",
  },
  interrupted: {
    tone: "part",
    label: "interrupted",
    meaning: "Something outside ended it. It can go on from its checkpoint.",
  },
  failed: { tone: "wrong", label: "failed", meaning: "It ended by an error." },
  lost: { tone: "wrong", label: "lost", meaning: "Its directory is no longer on the host." },
};

/** What a host said of an attempt. */
const VERDICTS: Record<VerdictState, { tone: Tone; label: string }> = {
  starting: { tone: "waiting", label: "starting" },
  running: { tone: "busy", label: "running" },
  stalled: { tone: "part", label: "stalled" },
  orphaned: { tone: "part", label: "orphaned" },
  finished: { tone: "quiet", label: "finished" },
  killed: { tone: "wrong", label: "killed" },
  interrupted: { tone: "part", label: "interrupted" },
  lost: { tone: "wrong", label: "lost" },
  unreachable: { tone: "waiting", label: "unreachable" },
};

/** How an attempt stands; one whose end the host has seen is named by how it ended. */
export function getVerdict({ verdict, reason, signal }: AttemptSummary): { tone: Tone; label: string } {
  if (verdict !== "finished" || reason === null) return VERDICTS[verdict];
  return reason === "failed" && signal !== null ? VERDICTS.killed : RUN_STATES[reason];
}

const LIVE: ReadonlySet<RunState> = new Set([
  "queued",
  "launching",
  "running",
  "stalled",
  "orphaned",
  "unreachable",
  "stopping",
]);

/** True while the run may still write, or is going to. */
export function isLive(state: RunState): boolean {
  return LIVE.has(state);
}

/** Seconds that the rest of the steps take at the present pace; null when nobody can say. */
export function getSecsLeft({ state, step, max_steps, steps_per_sec }: RunSummary): number | null {
  if (state !== "running" && state !== "orphaned") return null;
  if (step === null || max_steps === null || !steps_per_sec || steps_per_sec <= 0) return null;
  return Math.max(0, max_steps - step) / steps_per_sec;
}

/** A length of time in two units at most: "41 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(secs: number): string {
  const whole = Math.round(secs);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60)
    return whole % 60 === 0 || minutes >= 10 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
