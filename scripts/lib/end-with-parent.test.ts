import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const MODULE = join(import.meta.dirname, "end-with-parent.mjs");
const SERVER = `
  import { endWithParent } from ${JSON.stringify(MODULE)};
  endWithParent();
  process.on("SIGTERM", () => { console.log("asked to end"); process.exit(); });
  setInterval(() => undefined, 1000);
  console.log("ready");
`;

test("a server ends in good order when npm and its shell are killed", async () => {
  // As npm does it: a shell between npm and node, to which alone the signal goes.
  const shell = spawn("sh", ["-c", 'node --input-type=module -e "$SERVER"; true'], {
    env: { ...process.env, SERVER, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  shell.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said === "ready\n") shell.kill("SIGTERM");
  });
  // The pipe closes when the last process that holds it has ended.
  await new Promise((resolve) => shell.stdout.once("close", resolve));
  expect(said).toBe("ready\nasked to end\n");
});
