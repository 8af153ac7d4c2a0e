import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Answer, Ask } from "../../src/app/policy/messages.ts";

const ASSETS = join(import.meta.dirname, "../../dist/assets");

/** How a request ended, and everything that was told before. */
export type Outcome = { last: Answer; heard: Answer[] };

/** When a request is cancelled: at the first piece of text, or when so many bytes have been fetched. */
type CancelAt = "text" | number | null;

declare global {
  interface Window {
    askPolicyWorker(ask: Ask, cancelAt: CancelAt): Promise<Outcome>;
  }
}

/** Starts the product's own policy worker on a page, as a clip's page does. */
export async function startPolicyWorker(page: Page): Promise<void> {
  const name = readdirSync(ASSETS).find((file) => /^policy-worker-.*\.js$/.test(file));
  if (name === undefined) throw new Error("the built web has no policy worker");
  await page.evaluate((url) => {
    const worker = new Worker(url, { type: "module" });
    let next = 1;
    window.askPolicyWorker = (ask, cancelAt) => {
      const id = next;
      next += 1;
      return new Promise((resolve, reject) => {
        const heard: Answer[] = [];
        const listening = new AbortController();
        worker.addEventListener("error", ({ message }) =>
          reject(new Error(`the worker stopped: ${message}`)),
        );
        // Without a name: tsx would wrap a named function in a helper that the page does not have.
        worker.addEventListener(
          "message",
          ({ data }: MessageEvent<Answer>) => {
            if (data.id !== id) return;
            heard.push(data);
            const reached = data.type === "progress" ? data.loaded : null;
            const is_due = typeof cancelAt === "number" ? (reached ?? 0) >= cancelAt : data.type === cancelAt;
            if (is_due) worker.postMessage({ type: "cancel", id });
            if (data.type === "progress" || data.type === "text") return;
            listening.abort();
            resolve({ last: data, heard });
          },
          { signal: listening.signal },
        );
        worker.postMessage({ ...ask, id });
      });
    };
  }, `/assets/${name}`);
}

/** Asks the worker of a page, and returns how it ended; it may be cancelled on the way. */
export function askPolicyWorker(
  page: Page,
  ask: Ask,
  { cancelAt = null }: { cancelAt?: CancelAt } = {},
): Promise<Outcome> {
  return page.evaluate(([what, cancel]) => window.askPolicyWorker(what, cancel), [ask, cancelAt] as const);
}
