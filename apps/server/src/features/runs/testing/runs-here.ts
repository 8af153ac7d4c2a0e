import { join } from "node:path";
import { pino } from "pino";
import { openDatabase } from "../../../db/open.ts";
import { createLocalExecutor } from "../../../executors/local.ts";
import { createHosts } from "../../hosts/index.ts";
import { createJobs } from "../../jobs/tray.ts";
import { createRuns } from "../index.ts";

/**
 * Runs and hosts without a server around them.
 *
 * @param search_path  Where this machine's Python is looked for.
 */
export function startRunsHere(dataDir: string, search_path: string) {
  const db = openDatabase(join(dataDir, "sightline.db"));
  const log = pino({ level: "silent" });
  const jobs = createJobs(log);
  const local = (root: string) => createLocalExecutor({ root, search_path });
  const hosts = createHosts({ db, dataDir, jobs, log, isBusy: () => false, local });
  const runs = createRuns({
    db,
    hosts,
    log,
    jobs,
    checkpointsDir: join(dataDir, "checkpoints"),
    resolveFolder: () => Promise.reject(new Error("no folder is listed")),
  });
  runs.start();
  return {
    hosts,
    runs,
    async close() {
      await runs.close();
      await hosts.close();
      db.$client.close();
    },
  };
}
