// Builds the web when its sources are newer than the last build. Node's own modules only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "apps/web/dist");
const STAMP = join(DIST, ".sources");
const SOURCES = ["apps/web/src", "apps/web/public", "packages/core/src", "packages/ui/src"];
const FILES = ["apps/web/index.html", "apps/web/vite.config.ts", "apps/web/package.json", "pnpm-lock.yaml"];

/** @returns {boolean} whether a build was needed. Throws when it fails. */
export function buildWeb({ stdio = "inherit" } = {}) {
  const sources = hashSources();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === sources) return false;
  const vite = join(ROOT, "apps/web/node_modules/vite/bin/vite.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, "build"], {
    cwd: join(ROOT, "apps/web"),
    stdio: stdio === "pipe" ? ["ignore", "pipe", "pipe"] : ["ignore", stdio, stdio],
  });
  if (status !== 0) {
    throw new Error(`The web could not be built.\n${stdout ?? ""}${stderr ?? ""}`);
  }
  writeFileSync(STAMP, sources);
  return true;
}

function hashSources() {
  const hash = createHash("sha256");
  const files = [...SOURCES.flatMap(listFiles), ...FILES].filter((file) => !file.includes(".test."));
  for (const file of files.sort()) {
    const path = join(ROOT, file);
    if (existsSync(path)) hash.update(file).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

function listFiles(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

if (process.argv[1] === import.meta.filename) {
  console.log(buildWeb() ? "The web is built." : "The web is up to date.");
}
