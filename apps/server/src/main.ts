import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { createApp } from "./app.ts";
import { loadInstallToken } from "./data-folder/token.ts";
import { createServer } from "./http/server.ts";

const HELP = `Sightline: a workbench for embodied spatial reasoning.

  npm start -- [options]

  --port N      port to listen on (default 4680; 0 takes a free one)
  --host NAME   loopback address: 127.0.0.1 (default), ::1 or localhost
  --data DIR    data folder (default ~/.sightline)
  --no-open     don't open a browser
  --help        this text
`;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4680" },
    host: { type: "string", default: "127.0.0.1" },
    data: { type: "string", default: join(homedir(), ".sightline") },
    "no-open": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(HELP);
} else {
  const dataDir = resolve(values.data);
  mkdirSync(join(dataDir, "logs"), { recursive: true });
  const log = pino({ level: "info" }, pino.destination(join(dataDir, "logs", "server.log")));
  const app = await createApp({ dataDir, log });
  const server = await createServer(app);
  await server.listen({ host: values.host, port: Number(values.port) });
  const { port } = server.server.address() as AddressInfo;
  const host = values.host === "::1" ? "[::1]" : values.host;
  process.stdout.write(`Sightline: http://${host}:${port}/enter?token=${loadInstallToken(dataDir)}\n`);

  const close = async () => {
    await server.close();
    await app.close();
    process.exit(0);
  };
  process.once("SIGTERM", close);
  process.once("SIGINT", close);
}
