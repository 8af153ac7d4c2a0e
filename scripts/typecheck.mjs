import { spawnSync } from "node:child_process";

const projects = [
  "packages/core/tsconfig.json",
  "packages/core/tsconfig.test.json",
  "packages/ui/tsconfig.json",
  "apps/server/tsconfig.json",
  "apps/web/tsconfig.json",
  "tsconfig.json",
];

let failed = 0;
for (const project of projects) {
  const { status } = spawnSync("node_modules/.bin/tsc", ["-p", project], { stdio: "inherit" });
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
