/** The stretch of a clip that is in view, in seconds from its start. */
export type TimeWindow = { from_secs: number; to_secs: number };

/** Places times of a window on a strip of pixels. */
export type TimeScale = {
  window: TimeWindow;
  /** Width of the strip in CSS pixels. */
  width: number;
  toX(secs: number): number;
  toSecs(x: number): number;
};

export function createTimeScale(window: TimeWindow, width: number): TimeScale {
  const span = Math.max(1e-6, window.to_secs - window.from_secs);
  return {
    window,
    width,
    toX: (secs) => ((secs - window.from_secs) / span) * width,
    toSecs: (x) => window.from_secs + (width === 0 ? 0 : (x / width) * span),
  };
}

/**
 * The window after a zoom that keeps one moment where it is on screen.
 *
 * @param factor  Below 1 looks closer, above 1 sees more.
 * @param shortest_secs  The closest look.
 */
export function zoomWindow(
  window: TimeWindow,
  duration_secs: number,
  factor: number,
  at_secs: number,
  shortest_secs: number,
): TimeWindow {
  const span = window.to_secs - window.from_secs;
  const next = Math.min(duration_secs, Math.max(Math.min(shortest_secs, duration_secs), span * factor));
  const share = span === 0 ? 0.5 : (at_secs - window.from_secs) / span;
  return moveInside(
    { from_secs: at_secs - share * next, to_secs: at_secs + (1 - share) * next },
    duration_secs,
  );
}

/** The window moved by some seconds, without leaving the clip. */
export function panWindow(window: TimeWindow, duration_secs: number, by_secs: number): TimeWindow {
  return moveInside(
    { from_secs: window.from_secs + by_secs, to_secs: window.to_secs + by_secs },
    duration_secs,
  );
}

/** The window itself where it holds the moment, or one of the same length around it. */
export function followMoment(window: TimeWindow, duration_secs: number, at_secs: number): TimeWindow {
  if (at_secs >= window.from_secs && at_secs <= window.to_secs) return window;
  const half = (window.to_secs - window.from_secs) / 2;
  return moveInside({ from_secs: at_secs - half, to_secs: at_secs + half }, duration_secs);
}

function moveInside(window: TimeWindow, duration_secs: number): TimeWindow {
  const span = Math.min(duration_secs, window.to_secs - window.from_secs);
  const from_secs = Math.max(0, Math.min(duration_secs - span, window.from_secs));
  return { from_secs, to_secs: from_secs + span };
}

const STEPS_SECS = [
  0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400,
];

/**
 * Round moments for the marks of a ruler.
 *
 * @param spacing_px  Least distance between two marks.
 */
export function getTicks(scale: TimeScale, spacing_px: number): { step_secs: number; ticks: number[] } {
  const { from_secs, to_secs } = scale.window;
  const wanted = ((to_secs - from_secs) * spacing_px) / Math.max(1, scale.width);
  const step_secs = STEPS_SECS.find((step) => step >= wanted) ?? 14_400;
  const first = Math.ceil(from_secs / step_secs - 1e-9);
  const last = Math.floor(to_secs / step_secs + 1e-9);
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step_secs);
  return { step_secs, ticks };
}

/** Index of the first time that is not before `at_secs`; the length when all are before. */
export function findFirstAt(times: readonly number[], at_secs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at_secs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the nearest time; −1 when there is none. */
export function findNearest(times: readonly number[], at_secs: number): number {
  const above = findFirstAt(times, at_secs);
  const before = times[above - 1];
  const after = times[above];
  if (after === undefined) return above - 1;
  if (before === undefined) return above;
  return at_secs - before < after - at_secs ? above - 1 : above;
}
