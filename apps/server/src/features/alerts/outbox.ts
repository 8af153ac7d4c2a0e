import type { Logger } from "pino";
import type { Secrets } from "../../data-folder/secrets.ts";
import { post } from "./post.ts";
import type { AlertStore, DeliveryRow } from "./store.ts";

/** How patiently a receiver is told. */
export type OutboxPatience = {
  timeout_ms: number;
  /** Tries at most. */
  tries: number;
  /** Wait before the second try; doubles with each further one. */
  backoff_ms: number;
  backoff_max_ms: number;
};

export const OUTBOX_PATIENCE: OutboxPatience = {
  timeout_ms: 10_000,
  tries: 8,
  backoff_ms: 5000,
  backoff_max_ms: 1_800_000,
};

const IDLE_MS = 5000;
const AT_ONCE = 4;
/** A rest after a try that could not be written down, in first waits. */
const REST_TRIES = 12;

export const urlName = (webhook_id: string) => `${webhook_id}.url`;
export const keyName = (webhook_id: string) => `${webhook_id}.key`;

/**
 * Tells receivers what waits in the database, at least once. Each is told in the order of what happened, one thing at a
 * time; what fails in passing is tried again later, and holds up that receiver alone.
 */
export function createOutbox(parts: {
  store: AlertStore;
  secrets: Secrets;
  log: Logger;
  patience: OutboxPatience;
  /** Called when a delivery has changed. */
  onChange(): void;
}) {
  const { store, secrets, log, patience, onChange } = parts;
  const closing = new AbortController();
  const busy = new Set<string>();
  /** Until when, by `performance.now()`, a receiver rests because what came of a try could not be written. */
  const resting = new Map<string, number>();
  const working = new Set<Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = async (row: DeliveryRow): Promise<void> => {
    const { delivery_id, webhook_id } = row;
    const url = secrets.get(urlName(webhook_id));
    const posted =
      url === null
        ? {
            status: null,
            problem: "The receiver's address is gone. Enter it again.",
            is_passing: false,
            retry_after_secs: null,
          }
        : await post({ url, key: secrets.get(keyName(webhook_id)) }, row, {
            timeout_ms: patience.timeout_ms,
            signal: closing.signal,
          });
    if (closing.signal.aborted && posted.problem !== null) return;
    const tries = row.tries + 1;
    const now_secs = Date.now() / 1000;
    const { status, problem } = posted;
    const is_last = !posted.is_passing || tries >= patience.tries || row.kind === "test";
    const wait_ms = Math.min(
      patience.backoff_max_ms,
      Math.max(patience.backoff_ms * 2 ** (tries - 1), (posted.retry_after_secs ?? 0) * 1000),
    );
    // A receiver that was removed meanwhile is told nothing more.
    if (store.getDelivery(delivery_id)?.state !== "waiting" && problem !== null) return;
    store.changeDelivery(delivery_id, {
      tries,
      status,
      problem,
      tried_secs: now_secs,
      state: problem === null ? "delivered" : is_last ? "failed" : "waiting",
      next_secs: problem === null || is_last ? now_secs : now_secs + wait_ms / 1000,
    });
    if (problem !== null)
      log.warn({ delivery_id, webhook_id, status, problem, tries }, "telling a receiver failed");
    onChange();
  };

  const sweep = () => {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    for (const row of store.dueDeliveries(Date.now() / 1000)) {
      if (working.size >= AT_ONCE) break;
      if (busy.has(row.webhook_id) || (resting.get(row.webhook_id) ?? 0) > performance.now()) continue;
      busy.add(row.webhook_id);
      const work = tell(row)
        .catch((error: unknown) => {
          // The row still says that it is due: without a rest a full disk would tell a receiver on and on.
          resting.set(
            row.webhook_id,
            performance.now() + Math.min(patience.backoff_max_ms, REST_TRIES * patience.backoff_ms),
          );
          log.error({ err: error, delivery_id: row.delivery_id }, "telling a receiver");
        })
        .finally(() => {
          busy.delete(row.webhook_id);
          working.delete(work);
          sweep();
        });
      working.add(work);
    }
    timer = setTimeout(sweep, Math.min(IDLE_MS, patience.backoff_ms));
    timer.unref();
  };

  return {
    /** Looks at once for what is to be told. */
    wake: sweep,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await Promise.all(working);
    },
  };
}
