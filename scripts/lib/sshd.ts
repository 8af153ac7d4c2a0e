import { existsSync, rmSync, writeFileSync } from "node:fs";
import { findSshd } from "../../apps/server/src/executors/testing/sshd.ts";
import { installByApt } from "./apt.ts";

/** Debian asks this program whether a package may start its service. */
const POLICY = "/usr/sbin/policy-rc.d";

/**
 * Installs OpenSSH's server where it is missing and this user may: tests of SSH hosts start one on loopback. Its own
 * service is not started. Where it can't be had the tests say so and are left out.
 */
export function ensureSshd(): void {
  if (process.platform !== "linux" || findSshd() !== null) return;
  const isOurs = process.getuid?.() === 0 && !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    // iproute2 is what cuts a link in a network namespace.
    installByApt("OpenSSH's server for the tests of SSH hosts", [
      "openssh-server",
      "openssh-client",
      "iproute2",
    ]);
  } finally {
    if (isOurs) rmSync(POLICY);
  }
}
