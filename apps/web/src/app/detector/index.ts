/** The small detector in this browser: a typed client of the worker that does it. */
import type { Detection, Picture } from "@sightline/core/detection";
import { createWorkerCalls } from "../worker-calls/client.ts";

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
  const { call, close } = createWorkerCalls<Picture, never, Detection[]>(
    () => new Worker(new URL("./detector-worker.ts", import.meta.url), { type: "module" }),
    "The detector",
  );
  return { detect: (picture) => call(picture, { transfer: [picture.data.buffer] }), close };
}
