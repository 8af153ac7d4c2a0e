/** One fault that the simulator makes on demand, in its own notation: `name[@STEP[-STEP]][:SECS][!]`. */
export type Fault = {
  name: string;
  /** First step at which it strikes; null where the step does not matter. */
  step: number | null;
  to_step: number | null;
  secs: number | null;
  /** Strikes again after a resume. */
  in_every_attempt: boolean;
};

/** What can be made to go wrong, by the simulator's own names. */
export const FAULTS: Record<string, string> = {
  nan: "Loss and gradient norm are NaN",
  infinity: "Loss is Infinity, KL is −Infinity",
  diverged: "Loss is NaN and the trainer gives up",
  no_signal: "All rewards of each group are equal",
  judge_down: "The judge fails",
  stall: "Silence, for an hour unless seconds are given",
  torn_line: "Half a line, the rest later",
  bad_line: "A line that is not JSON",
  bad_utf8: "A line whose bytes are not UTF-8",
  utf8_cut: "A line cut inside a character",
  huge_line: "A line of 3 MB",
  unknown_type: "A line of a type that nobody knows",
  duplicate_line: "A line written twice",
  gpu_memory: "Out of GPU memory",
  host_memory: "Out of host memory",
  disk_full: "No space left on the disk",
  crash: "An exception in the trainer",
  silent_crash: "The process ends without a word",
  kill: "The process is killed",
  torn_kill: "Half a line, then killed",
  interrupted: "Ended by a scheduler: checkpoint, resumable",
  half_checkpoint: "A checkpoint without its marker, then killed",
  hang_on_stop: "A stop is ignored",
  slow_start: "Seconds pass before the first step",
  child: "A child process that would outlive it",
  stray_child: "The same, in a session of its own",
  missing_input: "A data file is missing",
};

/** Writes faults in the simulator's notation. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ name, step, to_step, secs, in_every_attempt }) => {
      const at = step === null ? "" : to_step === null ? `@${step}` : `@${step}-${to_step}`;
      return `${name}${at}${secs === null ? "" : `:${secs}`}${in_every_attempt ? "!" : ""}`;
    })
    .join(", ");
}

const FAULT = /^([a-z][a-z0-9_]*)(?:@(\d+)(?:-(\d+))?)?(?::([0-9.]+))?(!?)$/;

/**
 * Reads the simulator's notation.
 *
 * @returns The faults, and the words that are none.
 */
export function parseFaults(text: string): { faults: Fault[]; unknown: string[] } {
  const faults: Fault[] = [];
  const unknown: string[] = [];
  for (const word of text.split(/[,\s]+/).filter((one) => one !== "")) {
    const match = FAULT.exec(word);
    const [, name = "", first, last, secs, every] = match ?? [];
    if (!match || !(name in FAULTS)) {
      unknown.push(word);
      continue;
    }
    faults.push({
      name,
      step: first === undefined ? null : Number(first),
      to_step: last === undefined ? null : Number(last),
      secs: secs === undefined ? null : Number(secs),
      in_every_attempt: every === "!",
    });
  }
  return { faults, unknown };
}
