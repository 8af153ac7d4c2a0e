import type { Extent } from "./types.ts";

/**
 * The stretch of the x axis that is being panned or zoomed right now; one for all charts of a page. While a gesture
 * lasts, charts move the picture that they have; what is drawn anew is drawn when it ends.
 */
export type Viewport = {
  /** Null while nothing moves. */
  get(): Extent | null;
  set(window: Extent | null): void;
  subscribe(listener: () => void): () => void;
};

/** Makes a viewport for charts to share. */
export function createViewport(): Viewport {
  let window: Extent | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => window,
    set(next) {
      if (next === window) return;
      window = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A window moved by a share of its width, within the limits. */
export function panWindow(window: Extent, share: number, limits: Extent): Extent {
  const width = window[1] - window[0];
  const from = Math.min(Math.max(limits[0], window[0] + share * width), limits[1] - width);
  return [from, from + width];
}

/** A window made wider (factor > 1) or narrower around a place that stays where it is, within the limits. */
export function zoomWindow(window: Extent, factor: number, at: number, limits: Extent): Extent {
  const width = window[1] - window[0];
  const wanted = Math.min(limits[1] - limits[0], Math.max(width * factor, (limits[1] - limits[0]) / 100_000));
  const share = width > 0 ? (at - window[0]) / width : 0.5;
  const from = Math.min(Math.max(limits[0], at - share * wanted), limits[1] - wanted);
  return [from, from + wanted];
}
