/** The small detector in this browser: a typed client of the worker that does it. */
import type { Detection, Picture } from "@sightline/core/detection";
import type { Answer, Request } from "./messages.ts";

type Waiting = { resolve(detections: Detection[]): void; reject(error: Error): void };

export type Detector = {
  /**
   * The objects of a picture, best first; the server's detector finds the same. The picture's pixels are given away.
   * Rejects with an Error whose message is a sentence.
   */
  detect(picture: Picture): Promise<Detection[]>;
  /** Ends the worker and frees its memory; calls that wait are rejected with an AbortError. */
  close(): void;
};

/** The worker, and with it 18 MB of model and runtime, is loaded at the first call. */
export function createDetector(): Detector {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let nextId = 1;

  const end = (error: Error) => {
    worker?.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const hear = (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.type === "done") asked?.resolve(answer.detections);
    else asked?.reject(new Error(answer.message));
  };

  const start = () => {
    const started = new Worker(new URL("./detector-worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<Answer>) => hear(data));
    started.addEventListener("error", ({ message }) =>
      end(new Error(`The detector stopped: ${message || "it could not be loaded"}. Try again.`)),
    );
    return started;
  };

  return {
    detect(picture) {
      worker ??= start();
      const request: Request = { id: nextId++, picture };
      worker.postMessage(request, [picture.data.buffer]);
      return new Promise((resolve, reject) => waiting.set(request.id, { resolve, reject }));
    },
    close: () => end(new DOMException("cancelled", "AbortError")),
  };
}
