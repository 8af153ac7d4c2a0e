import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The browser that the system has, if it has one. */
export function findChromium(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** Installs Chromium where it is missing and this user may; says what to do where not. */
export function ensureChromium(): { problem: string | null } {
  if (findChromium() !== undefined) return { problem: null };
  const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (mayInstall) {
    console.log("Installing Chromium for the tests in the browser …");
    apt("update", "-qq");
    apt("install", "-y", "-qq", "--no-install-recommends", "chromium");
    if (findChromium() !== undefined) return { problem: null };
  }
  return { problem: "The browser tests need Chromium. Install it: sudo apt-get install -y chromium" };
}

function apt(...args: string[]) {
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
