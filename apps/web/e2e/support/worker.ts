import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { FromWorker } from "../../src/app/worker-calls/messages.ts";

const ASSETS = join(import.meta.dirname, "../../dist/assets");

/** When a call is cancelled: at the first note that has a field, or that has at least so much there. */
type CancelAt = { field: string; least?: number } | null;

/** How a call ended, and every note on the way. */
export type Outcome<Note, Result> = {
  last: Exclude<FromWorker<Note, Result>, { type: "note" }>;
  notes: Note[];
};

declare global {
  interface Window {
    callWorker(call: unknown, cancelAt: CancelAt): Promise<Outcome<unknown, unknown>>;
  }
}

/**
 * Starts one of the product's own workers on a page, as the product does.
 *
 * @param name  Of its file, without the ending: `policy-worker`.
 */
export async function startWorker(page: Page, name: string): Promise<void> {
  const file = readdirSync(ASSETS).find((asset) => asset.startsWith(`${name}-`) && asset.endsWith(".js"));
  if (file === undefined) throw new Error(`the built web has no ${name}`);
  await page.evaluate((url) => {
    const worker = new Worker(url, { type: "module" });
    let next = 1;
    window.callWorker = (call, cancelAt) => {
      const id = next;
      next += 1;
      return new Promise((resolve, reject) => {
        const notes: unknown[] = [];
        const listening = new AbortController();
        worker.addEventListener("error", ({ message }) =>
          reject(new Error(`the worker stopped: ${message}`)),
        );
        // Without a name: tsx would wrap a named function in a helper that the page does not have.
        worker.addEventListener(
          "message",
          ({ data }: MessageEvent<FromWorker<Record<string, unknown>, unknown>>) => {
            if (data.id !== id) return;
            if (data.type === "note") {
              notes.push(data.note);
              const reached = cancelAt === null ? undefined : data.note[cancelAt.field];
              if (
                reached !== undefined &&
                (cancelAt?.least === undefined || Number(reached) >= cancelAt.least)
              )
                worker.postMessage({ type: "cancel", id });
              return;
            }
            listening.abort();
            resolve({ last: data, notes });
          },
          { signal: listening.signal },
        );
        worker.postMessage({ type: "call", id, call });
      });
    };
  }, `/assets/${file}`);
}

/** Calls the worker of a page, and returns how it ended; it may be cancelled on the way. */
export function callWorker<Call, Note, Result>(
  page: Page,
  call: Call,
  { cancelAt = null }: { cancelAt?: CancelAt } = {},
): Promise<Outcome<Note, Result>> {
  return page.evaluate(([what, when]) => window.callWorker(what, when), [call, cancelAt] as const) as Promise<
    Outcome<Note, Result>
  >;
}

/** @throws Error with the worker's sentence when it came to no result. */
export async function getResult<Call, Result>(page: Page, call: Call): Promise<Result> {
  const { last } = await callWorker<Call, unknown, Result>(page, call);
  if (last.type === "done") return last.result;
  throw new Error(last.type === "failed" ? last.message : "cancelled");
}
