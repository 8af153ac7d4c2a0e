/** Fails when an import breaks a rule of the house, and prints the path and the reason. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { findImportFaults } from "./lib/import-rules.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["packages/core/src", "packages/ui/src", "apps/server/src", "apps/web/src"];

const files = new Map<string, string>();
for (const folder of SOURCES) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(ROOT, path).split(sep).join("/"), readFileSync(path, "utf8"));
  }
}

const faults = findImportFaults(files);
for (const { path, imported, reason } of faults) {
  console.error(`${path}\n  imports ${imported}\n  but ${reason}`);
}
console.log(`${files.size} modules, ${faults.length} imports that break a rule.`);
process.exitCode = faults.length === 0 ? 0 : 1;
