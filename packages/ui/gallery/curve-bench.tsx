import { useEffect, useState } from "react";
import { Curve, type CurveSeries, createCursor } from "../src/curve/index.tsx";
import { makeClimb, makeSteps } from "./random.ts";

/** What a stretch of live drawing cost. */
export type CurveBenchResult = {
  frames: number;
  fps: number;
  p95_frame_ms: number;
  worst_frame_ms: number;
  /** Share of the time in tasks beyond 50 ms, counted from their 51st millisecond. */
  blocked: number;
  updates: number;
  update_ms: number;
  p95_update_ms: number;
  drawn_points: number;
};

const SECS = 8;
const HZ = 5;

function makeWhole(lines: number, length: number): CurveSeries[] {
  const x = makeSteps(length);
  return Array.from({ length: lines }, (_, k) => ({
    id: `run-${k}`,
    label: `run ${k}`,
    color: `series-${k % 10}` as const,
    x,
    values: makeClimb(100 + k, length, 0.1, 0.4 + 0.05 * k, 0.1),
  }));
}

/**
 * Draws `charts` charts of `lines` lines that end at `points` points and grow five times a second, and measures.
 * The result lies in `window.curveBench`.
 */
export function CurveBench({ query }: { query: URLSearchParams }) {
  const lines = Number(query.get("lines") ?? 10);
  const points = Number(query.get("points") ?? 5000);
  const charts = Number(query.get("charts") ?? 1);
  const [cursor] = useState(createCursor);
  const [whole] = useState(() => makeWhole(lines, points));
  const [length, setLength] = useState(points - SECS * HZ * 5);
  const [series, setSeries] = useState(() => cut(whole, length));

  useEffect(() => setSeries(cut(whole, length)), [whole, length]);
  useEffect(() => {
    void measure((n) => setLength(points - (SECS * HZ - n) * 5)).then((result) => {
      const drawn = document.querySelector("[data-points]")?.getAttribute("data-points");
      Object.assign(window, { curveBench: { ...result, drawn_points: Number(drawn) } });
    });
  }, [points]);

  return (
    <main
      style={{
        display: "grid",
        gridTemplateColumns: charts > 1 ? "repeat(3, 1fr)" : "1000px",
        gap: 12,
        padding: 16,
      }}
    >
      {Array.from({ length: charts }, (_, k) => k).map((k) => (
        <Curve
          key={`chart-${k}`}
          title={`chart ${k}`}
          series={series}
          cursor={cursor}
          height={charts > 1 ? 168 : 400}
          x_extent={[0, points]}
        />
      ))}
    </main>
  );
}

function cut(whole: readonly CurveSeries[], length: number): CurveSeries[] {
  return whole.map((one) => ({ ...one, x: one.x.slice(0, length), values: one.values.slice(0, length) }));
}

async function measure(update: (n: number) => void): Promise<Omit<CurveBenchResult, "drawn_points">> {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  Object.assign(window, { curveBenchBegan: true });
  let blocked = 0;
  const tasks = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) blocked += entry.duration - 50;
  });
  tasks.observe({ type: "longtask" });
  const frames: number[] = [];
  const updates: number[] = [];
  const began = performance.now();
  let last = began;
  let due = began;
  let n = 0;
  await new Promise<void>((resolve) => {
    const tick = (now: number) => {
      frames.push(now - last);
      last = now;
      if (now - began > SECS * 1000) return resolve();
      if (now >= due && n < SECS * HZ) {
        due += 1000 / HZ;
        n += 1;
        const from = performance.now();
        update(n);
        const channel = new MessageChannel();
        channel.port1.onmessage = () => updates.push(performance.now() - from);
        requestAnimationFrame(() => channel.port2.postMessage(null));
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  tasks.disconnect();
  const span = performance.now() - began;
  const sorted = (values: number[]) => [...values].sort((a, b) => a - b);
  const at = (values: number[], share: number) => sorted(values)[Math.floor(values.length * share)] ?? 0;
  return {
    frames: frames.length,
    fps: (frames.length * 1000) / span,
    p95_frame_ms: at(frames, 0.95),
    worst_frame_ms: at(frames, 1 - 1e-9),
    blocked: blocked / span,
    updates: updates.length,
    update_ms: at(updates, 0.5),
    p95_update_ms: at(updates, 0.95),
  };
}
