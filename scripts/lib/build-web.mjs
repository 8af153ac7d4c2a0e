// Builds the web when its sources are newer than the last build. Node's own modules only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const WEB = join(ROOT, "apps/web");
const FOLDERS = ["apps/web/src", "apps/web/public", "packages/core/src", "packages/ui/src", "models"];
const FILES = ["apps/web/index.html", "apps/web/vite.config.ts", "apps/web/package.json", "pnpm-lock.yaml"];

/**
 * Builds into a folder of its own and then swaps, so that a server in the same checkout never serves half a build.
 *
 * @returns {boolean} whether a build was needed.
 */
export function buildWeb() {
  const sources = hashSources();
  const stamp = join(WEB, "dist/.sources");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return false;
  console.log("Building the pages: half a minute at most, and only after a change.");
  const draft = join(WEB, `dist.${process.pid}`);
  const vite = join(WEB, "node_modules/vite/bin/vite.js");
  const { status } = spawnSync(process.execPath, [vite, "build", "--outDir", draft, "--logLevel", "error"], {
    cwd: WEB,
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    if (status !== 0) throw new Error("The web could not be built: see above.");
    writeFileSync(join(draft, ".sources"), sources);
    const old = join(WEB, `dist.${process.pid}.old`);
    if (existsSync(join(WEB, "dist"))) renameSync(join(WEB, "dist"), old);
    renameSync(draft, join(WEB, "dist"));
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

function hashSources() {
  const hash = createHash("sha256");
  const files = [...FOLDERS.flatMap(listFiles), ...FILES].filter((file) => !file.includes(".test."));
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
