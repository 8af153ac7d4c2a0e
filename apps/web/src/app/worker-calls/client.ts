import type { FromWorker, ToWorker } from "./messages.ts";

export type CallOptions<Note> = {
  /** Told of each note on the way. */
  onNote?: ((note: Note) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** What is given away with the call. */
  transfer?: Transferable[];
};

/** Calls to one worker, which `answerCalls` answers. */
export type WorkerCalls<Call, Note, Result> = {
  /** Rejects with an Error whose message is a sentence, or with an AbortError when the signal fired. */
  call(call: Call, options?: CallOptions<Note>): Promise<Result>;
  /** Ends the worker and frees its memory; calls that wait are rejected with an AbortError. A later call starts another. */
  close(): void;
};

const cancelled = () => new DOMException("cancelled", "AbortError");

/**
 * @param start  Makes the worker; called at the first call, and again after the worker has ended.
 * @param name  Begins the sentence that says that it stopped, for instance `The detector`.
 */
export function createWorkerCalls<Call, Note, Result>(
  start: () => Worker,
  name: string,
): WorkerCalls<Call, Note, Result> {
  type Waiting = {
    resolve(result: Result): void;
    reject(error: Error): void;
    onNote: CallOptions<Note>["onNote"];
  };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let nextId = 1;

  const end = (error: Error) => {
    worker?.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const hear = (answer: FromWorker<Note, Result>) => {
    const asked = waiting.get(answer.id);
    if (asked === undefined) return;
    if (answer.type === "note") return asked.onNote?.(answer.note);
    waiting.delete(answer.id);
    if (answer.type === "done") asked.resolve(answer.result);
    else asked.reject(answer.type === "failed" ? new Error(answer.message) : cancelled());
  };

  const post = (message: ToWorker<Call>, transfer: Transferable[] = []) => {
    if (worker === null) {
      worker = start();
      worker.addEventListener("message", ({ data }: MessageEvent<FromWorker<Note, Result>>) => hear(data));
      worker.addEventListener("error", ({ message }) =>
        end(new Error(`${name} stopped: ${message || "it could not be loaded"}. Try again.`)),
      );
    }
    worker.postMessage(message, transfer);
  };

  return {
    async call(call, { onNote, signal, transfer } = {}) {
      signal?.throwIfAborted();
      const id = nextId;
      nextId += 1;
      const cancel = () => worker?.postMessage({ type: "cancel", id } satisfies ToWorker<Call>);
      try {
        return await new Promise<Result>((resolve, reject) => {
          waiting.set(id, { resolve, reject, onNote });
          post({ type: "call", id, call }, transfer);
          signal?.addEventListener("abort", cancel, { once: true });
        });
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    close: () => end(cancelled()),
  };
}
