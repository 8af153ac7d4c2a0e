import type { FromWorker, ToWorker } from "./messages.ts";

export type Answering<Note> = {
  /** Fires when the call is no longer wanted. */
  signal: AbortSignal;
  note(note: Note): void;
};

/** Answers, in a worker, the calls that `createWorkerCalls` makes on its page. */
export function answerCalls<Call, Note, Result>(
  answer: (call: Call, parts: Answering<Note>) => Promise<Result>,
): void {
  const running = new Map<number, AbortController>();
  const post = (message: FromWorker<Note, Result>): void => self.postMessage(message);

  self.addEventListener("message", ({ data }: MessageEvent<ToWorker<Call>>) => {
    const { id } = data;
    if (data.type === "cancel") {
      running.get(id)?.abort(new DOMException("cancelled", "AbortError"));
      return;
    }
    const stop = new AbortController();
    running.set(id, stop);
    answer(data.call, { signal: stop.signal, note: (note) => post({ type: "note", id, note }) })
      .then(
        (result) => post({ type: "done", id, result }),
        (error: unknown) => {
          if (stop.signal.aborted) return post({ type: "cancelled", id });
          post({ type: "failed", id, message: error instanceof Error ? error.message : String(error) });
        },
      )
      .finally(() => running.delete(id));
  });
}

/** Lets a message through, so that a cancel is heard. Rejects when `signal` has fired. */
export async function breathe(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
  signal?.throwIfAborted();
}
