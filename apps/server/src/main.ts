import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartError } from "./data-folder/start-error.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

function readOptions() {
  let values: ReturnType<typeof parse>["values"];
  try {
    values = parse().values;
  } catch (error) {
    throw new StartError(
      `${(error as Error).message.split(". To ")[0]}.\nnpm start -- --help lists the options.`,
    );
  }
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    throw new StartError(`--port takes a number from 0 to 65535, not "${values.port}".`);
  }
  if (!LOOPBACK.has(values.host)) {
    throw new StartError(
      `--host takes a loopback address (127.0.0.1, ::1 or localhost), not "${values.host}".\nFrom another machine, use a tunnel: ssh -L ${port}:127.0.0.1:${port} THIS_MACHINE`,
    );
  }
  const folders = values.folder.map((folder) => resolve(folder));
  const missing = folders.find((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined) throw new StartError(`--folder names ${missing}, which is no folder.`);
  return { ...values, port, folders, dataDir: resolve(values.data) };
}

function parse() {
  return parseArgs({
    options: {
      port: { type: "string", default: "4700" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string", default: process.env.SIGHTLINE_DATA ?? resolve(homedir(), ".sightline") },
      folder: { type: "string", multiple: true, default: [] },
      "no-open": { type: "boolean", default: false },
      bare: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
}

try {
  const options = readOptions();
  if (options.help) process.stdout.write(readFileSync(new URL("./help.txt", import.meta.url), "utf8"));
  else {
    // Loaded late, so that a wrong option is answered before half of the server has been read.
    const { startServer } = await import("./start.ts");
    await startServer({ ...options, open: !options["no-open"] });
  }
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`\n${error.message}\n\n`);
  process.exitCode = 1;
}
