import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { type Db, openDatabase } from "./db/open.ts";

/** Everything that a request may need, made once per server. */
export type App = {
  db: Db;
  /** The data folder, absolute. */
  dataDir: string;
  log: Logger;
  close(): Promise<void>;
};

/** Opens a data folder and starts what works in the background. */
export async function createApp(options: { dataDir: string; log?: Logger }): Promise<App> {
  mkdirSync(options.dataDir, { recursive: true });
  const db = openDatabase(join(options.dataDir, "sightline.db"));
  const log = options.log ?? pino({ level: "info" });
  return {
    db,
    dataDir: options.dataDir,
    log,
    async close() {
      db.$client.close();
    },
  };
}
