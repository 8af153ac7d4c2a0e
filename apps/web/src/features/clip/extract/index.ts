/** Key-frames selected in the browser: a typed client of the worker that does it. */
import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";
import type { Answer, ClipSource, Request } from "./messages.ts";

export type { ClipSource } from "./messages.ts";

export type ExtractOptions = {
  signal?: AbortSignal;
  /** Sampled frames looked at, of how many. */
  onProgress?: (done: number, total: number) => void;
};

type Waiting = {
  resolve(selection: KeyFrameSelection | null): void;
  reject(error: Error): void;
  onProgress?: (done: number, total: number) => void;
};

type Ask = Request extends infer R ? (R extends { type: "cancel" } ? never : Omit<R, "id">) : never;

/**
 * One worker for key-frames, created at the first call. Promises reject with an Error whose message is a sentence, or
 * with an AbortError when their signal fired.
 */
export class KeyFrameClient {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #reselecting: number | null = null;
  #preparing: number | null = null;

  /** Looks at a clip's frames in this browser and selects; the server's selection of the same settings is equal. */
  async extract(
    clip: ClipSource,
    settings: KeyFrameSettings,
    options: ExtractOptions = {},
  ): Promise<KeyFrameSelection> {
    options.signal?.throwIfAborted();
    const { id, settled } = this.#ask({ type: "extract", clip, settings }, options.onProgress);
    const abort = () => this.#cancel(id);
    options.signal?.addEventListener("abort", abort, { once: true });
    try {
      const selection = await settled;
      if (selection === null) throw new DOMException("cancelled", "AbortError");
      return selection;
    } finally {
      options.signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * Selects anew from features that the server has: for dragging a threshold. Only the newest call counts.
   *
   * @param stored_hash  `settings_hash` of a selection that the server has stored for this clip, with the same
   *   settings but for threshold, numbers of frames and gap.
   * @returns Null when a newer call overtook this one.
   */
  async reselect(
    clip_id: string,
    stored_hash: string,
    settings: KeyFrameSettings,
  ): Promise<KeyFrameSelection | null> {
    if (this.#preparing !== null) this.#cancel(this.#preparing);
    if (this.#reselecting !== null) this.#cancel(this.#reselecting);
    const { id, settled } = this.#ask({ type: "reselect", clip_id, stored_hash, settings });
    this.#reselecting = id;
    try {
      return await settled;
    } finally {
      if (this.#reselecting === id) this.#reselecting = null;
    }
  }

  /**
   * Compares beforehand the pairs that other thresholds will need, so that a drag is answered at once. Gives way to
   * `reselect`.
   */
  async prepare(clip_id: string, stored_hash: string, settings: KeyFrameSettings): Promise<void> {
    if (this.#preparing !== null) this.#cancel(this.#preparing);
    const { id, settled } = this.#ask({ type: "prepare", clip_id, stored_hash, settings });
    this.#preparing = id;
    try {
      await settled;
    } finally {
      if (this.#preparing === id) this.#preparing = null;
    }
  }

  /** Ends the worker and frees its memory; calls that wait are rejected. */
  dispose(): void {
    this.#worker?.terminate();
    this.#fail(new DOMException("cancelled", "AbortError"));
  }

  #ask(ask: Ask, onProgress?: (done: number, total: number) => void) {
    const id = this.#nextId;
    this.#nextId += 1;
    const settled = new Promise<KeyFrameSelection | null>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, ...(onProgress && { onProgress }) });
    });
    this.#post({ ...ask, id });
    return { id, settled };
  }

  #cancel(id: number): void {
    if (this.#waiting.has(id)) this.#post({ type: "cancel", id });
  }

  #post(request: Request): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./extract-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#hear(data));
    worker.addEventListener("error", ({ message }) => {
      worker.terminate();
      this.#fail(new Error(`The key-frame worker stopped: ${message || "it could not be loaded"}.`));
    });
    return worker;
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    if (answer.type === "progress") {
      waiting.onProgress?.(answer.done, answer.total);
      return;
    }
    this.#waiting.delete(answer.id);
    if (answer.type === "failed") waiting.reject(new Error(answer.message));
    else waiting.resolve(answer.type === "done" ? answer.selection : null);
  }

  #fail(error: Error): void {
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
