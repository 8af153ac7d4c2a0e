import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "@playwright/test";
import { removeWithProcesses } from "../../../server/src/features/runs/testing/processes.ts";
import { waitForSamples } from "./samples.ts";

const ROOT = join(import.meta.dirname, "../../../..");

/** A real Sightline in a process of its own, with a data folder that goes when the test ends. */
export type RunningServer = {
  /** `http://127.0.0.1:PORT`, without a slash; the same after a restart. */
  url: string;
  dataDir: string;
  token: string;
  /** SIGKILL, as a power cut would; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same folder and port, after `kill()` or by ending it in good order first. */
  restart(): Promise<void>;
};

/**
 * Playwright's test with a real server; `page` is logged in and relative addresses go to that server.
 * `test.use({ samples: true })` starts it as `npm start` does on a folder in which the sample project has been read,
 * and `samples: "new"` on a new folder, which is to become that.
 */
export const test = base.extend<
  {
    server: RunningServer;
    samples: boolean | "new";
    /** Variables that the server gets besides our own. */
    environment: Record<string, string>;
  },
  { getSamples: () => Promise<string> }
>({
  getSamples: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern.
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), "sightline-e2e-samples-"));
      const ending = new AbortController();
      let making: Promise<void> | undefined;
      await use(async () => {
        making ??= makeSamples(folder, ending.signal);
        await making;
        return folder;
      });
      ending.abort();
      await making?.catch(() => undefined);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
    { scope: "worker" },
  ],
  samples: [false, { option: true }],
  environment: [{}, { option: true }],
  server: async ({ samples, environment, getSamples }, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), "sightline-e2e-"));
    if (samples === true) cpSync(await getSamples(), dataDir, { recursive: true });
    const start = (port: number) => startServer(dataDir, port, { samples: samples !== false, environment });
    let running = await start(0);
    const server: RunningServer = {
      url: running.url,
      dataDir,
      token: running.token,
      kill: () => endServer(running.child, "SIGKILL"),
      async restart() {
        await endServer(running.child, "SIGTERM");
        running = await start(Number(new URL(server.url).port));
      },
    };
    try {
      await use(server);
    } finally {
      await endServer(running.child, "SIGTERM");
      // Runs outlive their server, and that is right; they don't outlive the test.
      await removeWithProcesses(dataDir);
    }
  },
  baseURL: async ({ server }, use) => use(server.url),
  page: async ({ page, server }, use) => {
    await page.goto(`/enter?token=${server.token}`);
    await use(page);
  },
});

export { expect } from "@playwright/test";

/** Lets a server make the sample project in an empty folder, and ends it once it has read all of that. */
async function makeSamples(folder: string, signal: AbortSignal): Promise<void> {
  const { child, url, token } = await startServer(folder, 0, { samples: true });
  try {
    await waitForSamples(url, token, signal);
  } finally {
    await endServer(child, "SIGTERM");
  }
}

type Started = { child: ChildProcess; url: string; token: string };

/** Starts a server on a data folder; port 0 takes a free one. */
export function startServer(
  dataDir: string,
  port: number,
  { samples, environment = {} }: { samples: boolean; environment?: Record<string, string> } = {
    samples: false,
  },
): Promise<Started> {
  const child = spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "apps/server/src/main.ts",
      "--port",
      String(port),
      "--data",
      dataDir,
      "--no-open",
      ...(samples ? [] : ["--bare"]),
    ],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      // A server that is not bare would prepare a trainer of its own where it is given none.
      env: { SIGHTLINE_TRAINER_PYTHON: "python3", ...process.env, ...environment },
    },
  );
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const match = /(http:\/\/\S+:\d+)\/enter\?token=/.exec(output);
      if (match?.[1] === undefined) return;
      resolve({ child, url: match[1], token: readFileSync(join(dataDir, "token"), "utf8").trim() });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`The server ended with ${code} before it listened:\n${output}`)),
    );
  });
}

/** Ends a server and waits until it is gone. */
export function endServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.once("exit", () => {
      clearTimeout(force);
      resolve();
    });
    child.kill(signal);
  });
}
