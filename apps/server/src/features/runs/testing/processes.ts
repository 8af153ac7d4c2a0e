import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Processes of an attempt, as its `id.json` names them. */
export type AttemptProcesses = { trainer: number; supervisor: number };

/** Reads who works on an attempt; null before they named themselves. */
export function attemptProcesses(dataDir: string, run_id: string, attempt: number): AttemptProcesses | null {
  const file = join(dataDir, "runs", run_id, "attempts", String(attempt).padStart(3, "0"), "id.json");
  try {
    const { pid, supervisor } = JSON.parse(readFileSync(file, "utf8")) as {
      pid: number;
      supervisor: { pid: number };
    };
    return { trainer: pid, supervisor: supervisor.pid };
  } catch {
    return null;
  }
}

/** Every process whose environment or command line names the folder. */
export function processesOf(dataDir: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        if (/\) [ZX] /.test(stat)) return false;
        const text =
          readFileSync(`/proc/${pid}/environ`, "latin1") + readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return text.includes(dataDir);
      } catch {
        return false;
      }
    });
}

/** Children of a process whose command line holds `word`. */
export function childrenOf(parent: number, word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const after = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1) ?? "";
        const [, ppid] = after.split(" ");
        return Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
      } catch {
        return false;
      }
    });
}

/** Ends every process that works below the folder. */
export async function endProcessesOf(dataDir: string): Promise<void> {
  for (let round = 0; round < 500; round++) {
    const left = processesOf(dataDir);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Removes a folder with all that works below it, those too that one of them had only just begun. */
export async function removeWithProcesses(folder: string): Promise<void> {
  for (let round = 1; ; round++) {
    await endProcessesOf(folder);
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      return;
    } catch (error) {
      if (round === 10) throw error;
    }
  }
}

/** SIGKILL; one that is gone already is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
