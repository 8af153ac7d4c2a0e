import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { type Db, openDatabase } from "./db/open.ts";
import { createHosts } from "./features/hosts/index.ts";
import type { Hosts } from "./features/hosts/service.ts";
import { createRuns } from "./features/runs/index.ts";
import type { Runs } from "./features/runs/service.ts";

/** Everything that a request may need, made once per server. */
export type App = {
  db: Db;
  /** The data folder, absolute. */
  dataDir: string;
  log: Logger;
  hosts: Hosts;
  runs: Runs;
  close(): Promise<void>;
};

/** Opens a data folder and starts what works in the background. */
export async function createApp(options: { dataDir: string; log?: Logger }): Promise<App> {
  mkdirSync(options.dataDir, { recursive: true });
  const db = openDatabase(join(options.dataDir, "sightline.db"));
  const log = options.log ?? pino({ level: "info" });
  const hosts = createHosts();
  const runs = createRuns();
  return {
    db,
    dataDir: options.dataDir,
    log,
    hosts,
    runs,
    async close() {
      await runs.close();
      await hosts.close();
      db.$client.close();
    },
  };
}
