import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchLeaks } from "./leaks.ts";

test("a run that left nothing is clean, and its folder is gone", async () => {
  const watch = watchLeaks();
  expect(await watch.collect()).toEqual([]);
  expect(existsSync(watch.folder)).toBe(false);
});

test("a detached process and a temporary folder that outlive their run are named and cleared away", async () => {
  const watch = watchLeaks();
  const left = spawn("sleep", ["60"], {
    env: { ...process.env, ...watch.env },
    detached: true,
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => left.once("exit", (_code, signal) => resolve(signal)));
  mkdtempSync(join(watch.folder, "sightline-left-"));
  const found = await watch.collect(200);
  expect(found).toEqual([
    `process ${left.pid} still runs: sleep 60`,
    expect.stringMatching(/^temporary folder left: sightline-left-/),
  ]);
  expect(await ended).toBe("SIGKILL");
});
