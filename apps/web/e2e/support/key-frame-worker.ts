import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { Answer, Request } from "../../src/features/clip/extract/messages.ts";

const ASSETS = join(import.meta.dirname, "../../dist/assets");

/** A request without its number. */
export type Ask = Request extends infer R ? (R extends { type: "cancel" } ? never : Omit<R, "id">) : never;

/** How a request ended, and the progress that it told. */
export type Outcome = { last: Exclude<Answer, { type: "progress" }>; progress: number[] };

declare global {
  interface Window {
    askKeyFrameWorker(ask: Ask, cancelAtOnce: boolean): Promise<Outcome>;
  }
}

/** Starts the product's own key-frame worker on a page, as the clip page does. */
export async function startKeyFrameWorker(page: Page): Promise<void> {
  const name = readdirSync(ASSETS).find((file) => /^extract-worker-.*\.js$/.test(file));
  if (name === undefined) throw new Error("the built web has no key-frame worker");
  await page.evaluate((url) => {
    const worker = new Worker(url, { type: "module" });
    let next = 1;
    window.askKeyFrameWorker = (ask, cancelAtOnce) => {
      const id = next;
      next += 1;
      return new Promise((resolve, reject) => {
        const progress: number[] = [];
        const heard = new AbortController();
        worker.addEventListener("error", ({ message }) =>
          reject(new Error(`the worker stopped: ${message}`)),
        );
        // Without a name: tsx would wrap a named function in a helper that the page does not have.
        worker.addEventListener(
          "message",
          ({ data }: MessageEvent<Answer>) => {
            if (data.id !== id) return;
            if (data.type === "progress") {
              progress.push(data.done);
              if (cancelAtOnce) worker.postMessage({ type: "cancel", id });
              return;
            }
            heard.abort();
            resolve({ last: data, progress });
          },
          { signal: heard.signal },
        );
        worker.postMessage({ ...ask, id });
      });
    };
  }, `/assets/${name}`);
}

/** Asks the worker of a page, and returns how it ended. */
export function askWorker(page: Page, ask: Ask, { cancelAtOnce = false } = {}): Promise<Outcome> {
  return page.evaluate(([what, cancel]) => window.askKeyFrameWorker(what, cancel), [
    ask,
    cancelAtOnce,
  ] as const);
}

/** @throws Error with the worker's sentence when it did not select. */
export async function selectInWorker(page: Page, ask: Ask): Promise<KeyFrameSelection> {
  const { last } = await askWorker(page, ask);
  if (last.type === "done") return last.selection;
  throw new Error(last.type === "failed" ? last.message : "cancelled");
}
