import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installByApt } from "./apt.ts";

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
  if (installByApt("Chromium for the tests in the browser", ["chromium"]) && findChromium() !== undefined)
    return { problem: null };
  return { problem: "The browser tests need Chromium. Install it: sudo apt-get install -y chromium" };
}
