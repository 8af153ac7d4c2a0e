import { existsSync } from "node:fs";
import { installByApt } from "./apt.ts";

/**
 * Installs Slurm where it is missing and this user may: a test of the trainer on two nodes makes a cluster on loopback.
 * Where it can't be had the test says so and is left out.
 */
export function ensureSlurm(): void {
  if (process.platform !== "linux" || existsSync("/usr/sbin/slurmctld")) return;
  installByApt("Slurm for the test of several nodes", ["slurmctld", "slurmd", "slurm-client", "munge"]);
}
