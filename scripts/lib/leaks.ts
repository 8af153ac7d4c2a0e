import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Watches over what a test run leaves behind. */
export type LeakWatch = {
  /** Environment for every process of the run. */
  env: Record<string, string>;
  /** The run's own folder for temporary files. */
  folder: string;
  /** Names what is still there, ends it and clears it away. Processes are found on Linux only. */
  collect(grace_ms?: number): Promise<string[]>;
};

/**
 * Gives a run its own folder for temporary files, by whose name its processes are known, whoever started them:
 * it stands in their environment, also in that of a supervisor which is handed only a few variables.
 */
export function watchLeaks(): LeakWatch {
  const folder = mkdtempSync(join(tmpdir(), "sl-test-"));
  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.once("exit", clear);
  return {
    env: { TMPDIR: folder },
    folder,
    async collect(grace_ms = 5000) {
      const deadline = Date.now() + grace_ms;
      while (listProcesses(folder).length > 0 && Date.now() < deadline) await sleep(100);
      const processes = listProcesses(folder);
      const folders = readdirSync(folder).filter((name) => name.startsWith("sightline"));
      for (const { pid } of processes) endProcess(pid);
      process.off("exit", clear);
      clear();
      return [
        ...processes.map(({ pid, command }) => `process ${pid} still runs: ${command}`),
        ...folders.map((name) => `temporary folder left: ${name}`),
      ];
    },
  };
}

function listProcesses(folder: string): { pid: number; command: string }[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const environment = readFileSync(`/proc/${name}/environ`, "utf8");
        const isOurs =
          environment.includes(folder) ||
          command.includes(folder) ||
          readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
        // A zombie has no command line and holds nothing.
        return isOurs && command !== "" ? [{ pid: Number(name), command }] : [];
      } catch {
        // It has ended since, or belongs to someone else.
        return [];
      }
    });
}

function endProcess(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
