// `pnpm dev`: the server, restarted when its sources change, and Vite in front of it.
//   pnpm dev [--port N] [--data DIR]    (default: 4700 and .sightline in the checkout)
import "./lib/check-node.mjs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { installPackages } = await import("./lib/install.mjs");
const { runScript } = await import("./lib/trouble.mjs");

const ROOT = join(import.meta.dirname, "..");
const VITE_PORT = 5173;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "4700" },
      data: { type: "string", default: join(ROOT, ".sightline") },
    },
  });
  await installPackages();

  const children = [];
  const end = (code) => {
    for (const child of children) child.kill();
    process.exitCode = code;
  };
  const start = (args, options) => {
    const child = spawn(process.execPath, args, options);
    child.once("exit", (code) => end(code ?? 0));
    children.push(child);
    return child;
  };
  process.on("SIGTERM", () => end(0));
  // Ctrl-C reaches the children by itself.
  process.on("SIGINT", () => undefined);

  const tsx = join(ROOT, "node_modules/tsx/dist/cli.mjs");
  const server = start(
    [
      tsx,
      "watch",
      "--clear-screen=false",
      "apps/server/src/main.ts",
      "--no-open",
      "--port",
      values.port,
      "--data",
      values.data,
    ],
    { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
  );
  let hasVite = false;
  createInterface({ input: server.stdout }).on("line", (line) => {
    console.log(line);
    const address = /(http:\/\/\S+)(\/enter\?token=\S+)/.exec(line);
    if (address === null || hasVite) return;
    hasVite = true;
    start(
      [
        join(ROOT, "apps/web/node_modules/vite/bin/vite.js"),
        "--port",
        String(VITE_PORT),
        "--strictPort",
        "--host",
        "127.0.0.1",
      ],
      {
        cwd: join(ROOT, "apps/web"),
        stdio: ["ignore", "inherit", "inherit"],
        env: { ...process.env, SIGHTLINE_SERVER_URL: address[1] },
      },
    );
    console.log(`  Develop    http://127.0.0.1:${VITE_PORT}${address[2]}\n`);
  });
});
