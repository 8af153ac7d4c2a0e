import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { z } from "zod";
import { type Deferred, deferred } from "../deferred.ts";
import { HostRefusedError, UnreachableError } from "../executor.ts";

/**
 * One conversation with `slctl serve` over a pair of streams: a child's pipes here, an ssh connection elsewhere.
 *
 * A request is one JSON line. Answers are frames, `<bytes of JSON> <bytes of blob>\n` and then both, in any order,
 * told apart by `id`. They begin after the line `@slctl 1 <nonce>`; whatever a login shell prints before is skipped.
 */
export type SlctlSession = {
  /** Resolves when the other side has answered the greeting. */
  ready: Promise<void>;
  /**
   * Asks and waits for the answer.
   *
   * @throws HostRefusedError when the answer is no; UnreachableError when the session ends first or `timeout_secs` pass.
   */
  request(
    op: string,
    fields: Record<string, unknown>,
    options: { timeout_secs: number; signal?: AbortSignal },
  ): Promise<Answer>;
  /** Ends the session; open requests fail with `reason`. */
  end(reason: string): void;
  readonly ended: boolean;
};

export type Answer = { header: Record<string, unknown>; blob: Buffer };

const Header = z
  .object({
    id: z.union([z.number(), z.null()]),
    ok: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .loose();

const MAX_HEADER_BYTES = 64 * 1024 * 1024;
const MAX_NOISE_BYTES = 1024 * 1024;

/** Opens a session; `onEnd` is called once, when it is over for whatever reason. */
export function openSlctlSession(streams: {
  input: Writable;
  output: Readable;
  onEnd(reason: string): void;
}): SlctlSession {
  const nonce = randomBytes(16).toString("hex");
  const greeting = `\n@slctl 1 ${nonce}\n`;
  const waiting = new Map<number, Deferred<Answer>>();
  let nextId = 1;
  let ended = false;
  let greeted = false;
  let pending: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let partBytes = 0;
  let wanted = 0;
  const ready = deferred<void>();
  ready.promise.catch(() => undefined);

  const end = (reason: string) => {
    if (ended) return;
    ended = true;
    ready.reject(new UnreachableError(reason));
    for (const { reject } of waiting.values()) reject(new UnreachableError(reason));
    waiting.clear();
    streams.input.destroy();
    streams.output.destroy();
    streams.onEnd(reason);
  };

  const settle = (header: z.infer<typeof Header>, blob: Buffer) => {
    if (header.id === null) {
      if (header.ok) ready.resolve();
      else end(header.error?.message ?? "The host refused to talk.");
      return;
    }
    const asked = waiting.get(header.id);
    if (!asked) return;
    waiting.delete(header.id);
    if (header.ok) asked.resolve({ header, blob });
    else {
      const { code, message } = header.error ?? { code: "internal", message: "The host gave no reason." };
      asked.reject(new HostRefusedError(code, message));
    }
  };

  /** Takes one frame off `pending`; false when it is not whole yet. */
  const takeFrame = (): boolean => {
    const newline = pending.indexOf(10);
    if (newline < 0) {
      if (pending.length > 64) end("The host's answer is no frame.");
      return false;
    }
    const sizes = /^(\d+) (\d+)$/.exec(pending.toString("latin1", 0, newline));
    const headerBytes = Number(sizes?.[1] ?? Number.NaN);
    const blobBytes = Number(sizes?.[2] ?? Number.NaN);
    if (!(headerBytes <= MAX_HEADER_BYTES && blobBytes <= MAX_HEADER_BYTES)) {
      end("The host's answer is no frame.");
      return false;
    }
    const headerAt = newline + 1;
    const total = headerAt + headerBytes + blobBytes;
    if (pending.length < total) {
      wanted = total;
      return false;
    }
    wanted = 0;
    const text = pending.toString("utf8", headerAt, headerAt + headerBytes);
    const blob = pending.subarray(headerAt + headerBytes, total);
    pending = pending.subarray(total);
    let header: z.infer<typeof Header>;
    try {
      header = Header.parse(JSON.parse(text));
    } catch {
      end("The host's answer is not what slctl says.");
      return false;
    }
    settle(header, blob);
    return !ended;
  };

  const onData = (data: Buffer) => {
    parts.push(data);
    partBytes += data.length;
    if (pending.length + partBytes < wanted) return;
    pending = Buffer.concat([pending, ...parts]);
    parts = [];
    partBytes = 0;
    if (!greeted) {
      const at = pending.indexOf(greeting);
      if (at < 0) {
        if (pending.length > MAX_NOISE_BYTES) end("The host talks, but slctl does not answer there.");
        return;
      }
      greeted = true;
      pending = pending.subarray(at + greeting.length);
    }
    while (pending.length > 0 && takeFrame());
  };

  streams.output.on("data", onData);
  streams.output.on("end", () => end("The host closed the connection."));
  streams.output.on("error", (error) => end(`The connection broke: ${error.message}`));
  // Whoever looked at the stream before us has paused it.
  streams.output.resume();
  streams.input.on("error", (error) => end(`The connection broke: ${error.message}`));
  streams.input.write(`${JSON.stringify({ nonce })}\n`);

  return {
    ready: ready.promise,
    get ended() {
      return ended;
    },
    end,
    request(op, fields, { timeout_secs, signal }) {
      if (ended) return Promise.reject(new UnreachableError("The connection has ended."));
      const id = nextId++;
      const answer = deferred<Answer>();
      waiting.set(id, answer);
      const timer = setTimeout(() => {
        end(`The host did not answer within ${timeout_secs} s.`);
      }, timeout_secs * 1000);
      const cancel = () => {
        if (!ended) streams.input.write(`${JSON.stringify({ id: nextId++, op: "cancel", request: id })}\n`);
      };
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel);
      streams.input.write(`${JSON.stringify({ id, op, ...fields })}\n`);
      return answer.promise.finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
      });
    },
  };
}
