import { defineConfig } from "@playwright/test";
import { findChromium } from "./scripts/lib/chromium.ts";
import { trainerPython } from "./scripts/lib/python-env.ts";

/** Tests with the tag @field need the real files of SIGHTLINE_SHARED. */
const isField = process.env.SIGHTLINE_FIELD !== undefined;

Object.assign(process.env, trainerPython());

export default defineConfig({
  testDir: "apps/web/e2e",
  globalSetup: "./apps/web/e2e/support/build.ts",
  grep: isField ? /@field/ : undefined,
  grepInvert: isField ? undefined : /@field/,
  workers: 1,
  // A build machine may be busy with others: what waits in vain may wait long, and names its line before its test ends.
  timeout: 300_000,
  expect: { timeout: 40_000 },
  // What passes only at the second go is named as flaky in the list.
  retries: process.env.CI === undefined ? 0 : 1,
  forbidOnly: process.env.CI !== undefined,
  reporter: [["list"]],
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: findChromium(),
      args: [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
