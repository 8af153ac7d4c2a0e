import { findSshd } from "../../apps/server/src/executors/testing/sshd.ts";
import { installByApt } from "./apt.ts";

/**
 * Installs OpenSSH's server where it is missing and this user may: tests of SSH hosts start one on loopback. Where it
 * can't be had the tests say so and are left out.
 */
export function ensureSshd(): void {
  if (process.platform !== "linux" || findSshd() !== null) return;
  // iproute2 is what cuts a link in a network namespace.
  installByApt("OpenSSH's server for the tests of SSH hosts", [
    "openssh-server",
    "openssh-client",
    "iproute2",
  ]);
}
