import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The specs run against the built web, so it is built first where it is stale. */
export default function buildWeb() {
  execFileSync(process.execPath, ["scripts/lib/build-web.mjs"], {
    cwd: join(import.meta.dirname, "../../../.."),
    stdio: "inherit",
  });
}
