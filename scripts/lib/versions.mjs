// What this machine brings. Node's own modules only, and nothing that an old Node can't read.
import { spawnSync } from "node:child_process";

const OLDEST_PYTHON = [3, 10];

/** @returns {string | null} the command of a Python that is new enough. */
export function findPython() {
  const code = "import sys; print(*sys.version_info[:2])";
  for (const name of ["python3", "python"]) {
    const { status, stdout } = spawnSync(name, ["-c", code], { encoding: "utf8" });
    if (status !== 0) continue;
    const [major, minor] = stdout.trim().split(" ").map(Number);
    if (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]) return name;
  }
  return null;
}
