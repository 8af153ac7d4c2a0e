import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { smallRun } from "../runs/testing/launch.ts";
import { startRunsHere } from "../runs/testing/runs-here.ts";
import { makeDataDir } from "../runs/testing/servers.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it("says that a machine without Python takes no run, and starts nothing there", async () => {
  const { dataDir, remove } = makeDataDir("hosts");
  const { hosts, runs, close } = startRunsHere(dataDir, join(dataDir, "nothing"));
  cleanups.push(remove, close);
  expect(await hosts.list()).toMatchObject([
    { host_id: "local", state: "unusable", problem: expect.stringMatching(/Install python3/) },
  ]);
  await expect(runs.launch(smallRun())).rejects.toThrow(/Nothing was started\. Python 3\.10 or newer/);
  expect(runs.list({ trash: false })).toEqual([]);
});
