import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";

/** Debian asks this program whether a package may start its service. */
const POLICY = "/usr/sbin/policy-rc.d";

/** Installs Debian packages and says so, where this user may; no service of theirs is started. False where not. */
export function installByApt(what: string, packages: string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  console.log(`Installing ${what} …`);
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    apt("update", "-qq");
    apt("install", "-y", "-qq", "--no-install-recommends", ...packages);
  } finally {
    if (isOurs) rmSync(POLICY);
  }
  return true;
}

function apt(...args: string[]) {
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
