// `npm start`: installs what is missing, builds what is stale, serves. Node's own modules only until that is done.
import "./lib/check-node.mjs";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// Not imported above: an old Node would stumble over these before it has been told.
const { runScript } = await import("./lib/trouble.mjs");
const { installPackages } = await import("./lib/install.mjs");
const { buildWeb } = await import("./lib/build-web.mjs");
const { endWithParent } = await import("./lib/end-with-parent.mjs");
const { findPython } = await import("./lib/versions.mjs");

const SERVER = join(import.meta.dirname, "../apps/server/src");

await runScript(async () => {
  if (process.argv.includes("--help")) {
    process.stdout.write(readFileSync(join(SERVER, "help.txt"), "utf8"));
    return;
  }
  if (findPython() === null) {
    console.error("No Python 3.10 or newer was found: everything works but training on this machine.");
  }
  await installPackages();
  buildWeb();
  endWithParent();
  const { register } = await import("tsx/esm/api");
  register();
  await import("../apps/server/src/main.ts");
});
