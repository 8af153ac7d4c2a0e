import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs Debian packages and says so, where this user may. False where not. */
export function installByApt(what: string, packages: string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  console.log(`Installing ${what} …`);
  apt("update", "-qq");
  apt("install", "-y", "-qq", "--no-install-recommends", ...packages);
  return true;
}

function apt(...args: string[]) {
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
