import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What a child process uses. */
export type Child = { pid: number; rss_mb: number; cpu_secs: number };

/** This process's children, as `ps` tells of them. */
export function listChildren(): Child[] {
  const { stdout, pid: own } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,rss=,time="], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, rss, time] = line.trim().split(/\s+/);
    if (Number(parent) !== process.pid || Number(pid) === own || time === undefined) return [];
    return [{ pid: Number(pid), rss_mb: Number(rss) / 1024, cpu_secs: readTicks(pid) ?? readTime(time) }];
  });
}

const TICKS_A_SEC = 100;

/** To a hundredth of a second, from Linux itself; null elsewhere. */
function readTicks(pid: string | undefined): number | null {
  try {
    const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const fields = after.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SEC;
  } catch {
    return null;
  }
}

/** Of "1-02:03:04", "02:03:04" or "3:04.56". */
function readTime(time: string): number {
  const [clock = "", days = "0"] = time.split("-").reverse();
  return clock.split(":").reduce((sum, part) => 60 * sum + Number(part), 0) + 86_400 * Number(days);
}
