import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "apps/web/e2e",
  globalSetup: "./apps/web/e2e/support/build.ts",
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: [["list"]],
  use: {
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

function findChromium(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}
