/** How long work may hold its thread before it lets messages through, in milliseconds. */
const HOLD_MS = 100;

/** Makes a function to await between steps of long synchronous work: every now and then it reports and lets others run. */
export function createBreath(report?: () => void): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < HOLD_MS) return;
    report?.();
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}
