/** K3: a new threshold on 60 sampled frames whose features and pairs are known. `pnpm bench keyframes`. */
import {
  createExtractor,
  createPairSource,
  type FrameFeatures,
  PairCache,
  SIGHTLINE_SETTINGS,
  selectKeyFrames,
} from "../src/keyframes/index.ts";
import { createRandom, paintWall, toLuma, viewWall } from "../src/keyframes/testing.ts";

const FRAMES = 60;
const RUNS = 20;
const TARGET_MS = 50;

const extractor = createExtractor(null, SIGHTLINE_SETTINGS);
const wall = paintWall(3000, 800);
const random = createRandom(1);
const frames: FrameFeatures[] = [];
for (let i = 0, left = 0; i < FRAMES; i += 1, left = Math.min(2300, left + random() * 80)) {
  frames.push(extractor.describe(toLuma(viewWall(wall, { left, top: 200 }), i * 30, i)));
}

const pairs = new PairCache();
const thresholds = Array.from({ length: RUNS }, (_, i) => 0.1 + (0.8 * i) / RUNS);
const warm = createPairSource(frames, pairs, extractor);
const compared = performance.now();
for (const threshold of thresholds) selectKeyFrames("", frames, { ...SIGHTLINE_SETTINGS, threshold }, warm);
const pair_ms = (performance.now() - compared) / pairs.size;

const cached = createPairSource(frames, pairs, null);
const times = thresholds.map((threshold) => {
  const began = performance.now();
  selectKeyFrames("", frames, { ...SIGHTLINE_SETTINGS, threshold }, cached);
  return performance.now() - began;
});
times.sort((a, b) => a - b);
const value = times[RUNS >> 1] ?? Number.NaN;
console.log(
  JSON.stringify({
    id: "K3",
    value,
    unit: "ms",
    target: `<= ${TARGET_MS}`,
    ok: value <= TARGET_MS,
    runs: RUNS,
    spread: [times[0], times.at(-1)],
    with: `${FRAMES} sampled frames, ${pairs.size} pairs cached; a pair that is not costs ${pair_ms.toFixed(0)} ms`,
  }),
);
