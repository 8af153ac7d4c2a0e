import type { Readable, Writable } from "node:stream";
import { UnreachableError } from "../executor.ts";
import { type Answer, openSlctlSession, type SlctlSession } from "./session.ts";

/** The pipes of one `slctl serve`, wherever it runs. */
export type SlctlChannel = {
  input: Writable;
  output: Readable;
  /** Ends the channel's own process at once. */
  kill(): void;
  /** What the channel's process said on stderr, for error messages. */
  lastWords(): string;
  /** Bytes that a login shell printed before slctl could speak; absent where there is no such shell. */
  noise_bytes?: number;
};

/** Shortest and longest pause after a failure, and the pause where the host refused us. */
export type RetryMs = { first: number; last: number; refused?: number };

export const ANSWER_SECS = 20;
const LOCAL_RETRY_MS: RetryMs = { first: 250, last: 15_000 };

/** Why a channel could not be opened, and whether trying again by ourselves is right. */
type OpenFailure = Error & { is_stop?: boolean; exit_code?: number | null };

/**
 * The way to one `slctl serve`. A lost session is opened again by the next request, with growing pauses.
 *
 * @param options.open  Starts one `slctl serve` and gives its pipes; throws `UnreachableError` when it can't.
 * @param options.retry_ms  After a failure that is a stop nothing is tried until `tryAgain`.
 */
export function createSlctlLink(options: { open(): Promise<SlctlChannel>; retry_ms?: RetryMs }) {
  const { retry_ms = LOCAL_RETRY_MS } = options;
  let session: SlctlSession | null = null;
  let opening: Promise<SlctlSession> | null = null;
  let failures = 0;
  let retryAt = 0;
  let lastReason = "";
  let lastFailure: Error | null = null;
  let closed = false;
  let noise_bytes = 0;

  /** Pauses grow, and differ a little so that many hosts that were lost together are not asked together. */
  const pauseAfter = ({ is_stop, exit_code }: OpenFailure): number => {
    if (is_stop) return Number.POSITIVE_INFINITY;
    if (exit_code != null) return retry_ms.refused ?? retry_ms.last;
    return Math.min(retry_ms.last, retry_ms.first * 2 ** failures) * (0.75 + Math.random() / 2);
  };

  const open = async (): Promise<SlctlSession> => {
    if (closed) throw new UnreachableError("The link to the host was closed.");
    if (Date.now() < retryAt) throw lastFailure ?? new UnreachableError(lastReason);
    try {
      const channel = await options.open();
      noise_bytes = channel.noise_bytes ?? 0;
      const opened = openSlctlSession({
        input: channel.input,
        output: channel.output,
        onEnd(reason) {
          lastReason = [reason, channel.lastWords()].filter(Boolean).join(" ");
          if (session === opened) session = null;
          channel.kill();
        },
      });
      const timer = setTimeout(
        () => opened.end(`The host did not greet within ${ANSWER_SECS} s.`),
        ANSWER_SECS * 1000,
      );
      try {
        await opened.ready;
      } catch {
        throw new UnreachableError(lastReason);
      } finally {
        clearTimeout(timer);
      }
      if (closed) {
        opened.end("The link to the host was closed.");
        throw new UnreachableError("The link to the host was closed.");
      }
      failures = 0;
      session = opened;
      return opened;
    } catch (error) {
      lastFailure = error instanceof Error ? error : new UnreachableError(String(error));
      lastReason = lastFailure.message;
      retryAt = Date.now() + pauseAfter(lastFailure);
      failures += 1;
      throw error;
    }
  };

  const request = async (
    op: string,
    fields: Record<string, unknown>,
    signal?: AbortSignal,
    timeout_secs = ANSWER_SECS,
  ): Promise<Answer> => {
    if (!session || session.ended) {
      opening ??= open().finally(() => {
        opening = null;
      });
      await opening;
    }
    if (!session) throw new UnreachableError(lastReason);
    return session.request(op, fields, { timeout_secs, ...(signal ? { signal } : {}) });
  };

  return {
    request,

    /** Bytes that came before the greeting of the newest session. */
    get noise_bytes(): number {
      return noise_bytes;
    },

    /** Forgets what failed before: the next request tries at once. */
    tryAgain(): void {
      failures = 0;
      retryAt = 0;
    },

    async close(): Promise<void> {
      closed = true;
      session?.end("The link to the host was closed.");
      await opening?.catch(() => undefined);
    },
  };
}
