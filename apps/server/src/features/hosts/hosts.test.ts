import { join } from "node:path";
import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { openDatabase } from "../../db/open.ts";
import { createLocalExecutor } from "../../executors/local.ts";
import { createJobs } from "../jobs/tray.ts";
import { createRuns } from "../runs/index.ts";
import { smallRun } from "../runs/testing/launch.ts";
import { makeDataDir } from "../runs/testing/servers.ts";
import { createHosts } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it("says that a machine without Python takes no run, and starts nothing there", async () => {
  const { dataDir, remove } = makeDataDir("hosts");
  const db = openDatabase(join(dataDir, "sightline.db"));
  const log = pino({ level: "silent" });
  const jobs = createJobs(log);
  const hosts = createHosts({
    db,
    dataDir,
    jobs,
    log,
    isBusy: () => false,
    local: (root) => createLocalExecutor({ root, search_path: join(dataDir, "nothing") }),
  });
  const runs = createRuns({
    db,
    hosts,
    log,
    jobs,
    checkpointsDir: join(dataDir, "checkpoints"),
    resolveFolder: () => Promise.reject(new Error("no folder is listed")),
  });
  runs.start();
  cleanups.push(
    remove,
    () => db.$client.close(),
    () => hosts.close(),
    () => runs.close(),
  );
  expect(await hosts.list()).toMatchObject([
    { host_id: "local", state: "unusable", problem: expect.stringMatching(/Install python3/) },
  ]);
  await expect(runs.launch(smallRun())).rejects.toThrow(/Nothing was started\. Python 3\.10 or newer/);
  expect(runs.list({ trash: false })).toEqual([]);
});
