import { getCssColor } from "./colors.ts";
import type { ShapeColor } from "./picture.ts";

const known = new Map<string, string>();
const listeners = new Set<() => void>();
let probe: HTMLSpanElement | null = null;

/**
 * Colours as a canvas takes them, read from the page's own variables: once for all charts, since each reading has the
 * browser work out styles anew.
 */
export const palette = {
  get(color: ShapeColor): string {
    const found = known.get(color);
    if (found !== undefined) return found;
    const element = getProbe();
    element.style.color = getCssColor(color);
    const value = getComputedStyle(element).color;
    known.set(color, value);
    return value;
  },

  /** Calls back when the page's colours may have changed. */
  subscribe(listener: () => void): () => void {
    getProbe();
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function getProbe(): HTMLSpanElement {
  if (probe !== null) return probe;
  probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  new MutationObserver(() => {
    known.clear();
    for (const listener of listeners) listener();
  }).observe(document.documentElement, { attributes: true });
  return probe;
}
