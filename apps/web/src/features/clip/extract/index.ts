/** Key-frames selected in the browser: a typed client of the worker that does it. */
import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";
import { createWorkerCalls } from "../../../app/worker-calls/client.ts";
import type { Call, ClipSource, Note } from "./messages.ts";

export type { ClipSource } from "./messages.ts";

export type ExtractOptions = {
  signal?: AbortSignal;
  /** Sampled frames looked at, of how many. */
  onProgress?: (done: number, total: number) => void;
};

/**
 * One worker for key-frames, created at the first call. Promises reject with an Error whose message is a sentence, or
 * with an AbortError when their signal fired.
 */
export class KeyFrameClient {
  readonly #calls = createWorkerCalls<Call, Note, KeyFrameSelection>(
    () => new Worker(new URL("./extract-worker.ts", import.meta.url), { type: "module" }),
    "The key-frame worker",
  );
  #reselecting = new AbortController();
  #preparing = new AbortController();

  /** Looks at a clip's frames in this browser and selects; the server's selection of the same settings is equal. */
  extract(
    clip: ClipSource,
    settings: KeyFrameSettings,
    { signal, onProgress }: ExtractOptions = {},
  ): Promise<KeyFrameSelection> {
    const onNote = ({ done, total }: Note) => onProgress?.(done, total);
    return this.#calls.call({ type: "extract", clip, settings }, { signal, onNote });
  }

  /**
   * Selects anew from features that the server has: for dragging a threshold. Only the newest call counts.
   *
   * @param stored_hash  `settings_hash` of a selection that the server has stored for this clip, with the same
   *   settings but for threshold, numbers of frames and gap.
   * @returns Null when a newer call overtook this one.
   */
  reselect(
    clip_id: string,
    stored_hash: string,
    settings: KeyFrameSettings,
  ): Promise<KeyFrameSelection | null> {
    this.#preparing.abort();
    this.#reselecting.abort();
    this.#reselecting = new AbortController();
    return this.#callUnless(this.#reselecting.signal, { type: "reselect", clip_id, stored_hash, settings });
  }

  /**
   * Compares beforehand the pairs that other thresholds will need, so that a drag is answered at once. Gives way to
   * `reselect`.
   */
  async prepare(clip_id: string, stored_hash: string, settings: KeyFrameSettings): Promise<void> {
    this.#preparing.abort();
    this.#preparing = new AbortController();
    await this.#callUnless(this.#preparing.signal, { type: "prepare", clip_id, stored_hash, settings });
  }

  /** Ends the worker and frees its memory; calls that wait are rejected. */
  dispose(): void {
    this.#calls.close();
  }

  /** Null instead of an AbortError when the signal fired. */
  async #callUnless(overtaken: AbortSignal, call: Call): Promise<KeyFrameSelection | null> {
    try {
      return await this.#calls.call(call, { signal: overtaken });
    } catch (error) {
      if (overtaken.aborted) return null;
      throw error;
    }
  }
}
