/**
 * K1 and K4: our key-frames beside the released extractor's, over a folder of clips.
 *
 * SIGHTLINE_RELEASED: the released code, a checkout or its `utils.py`. SIGHTLINE_PYTHON: a Python with cv2 (python3).
 * SIGHTLINE_SHARED: the handed clips (../shared). SIGHTLINE_JUDGED: a file to keep the released verdicts of K4 in; they
 * take minutes and never change.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, constants, setPriority, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import {
  createExtractor,
  createPairSource,
  EMBODIED_R_SETTINGS,
  type FrameFeatures,
  type GetPair,
  getOverlap,
  type KeyFrameSettings,
  PairCache,
  SIGHTLINE_SETTINGS,
  startChain,
  toSampledFrame,
} from "@sightline/core/keyframes";
import { createDecoderPool } from "../src/media/decoder-pool.ts";
import { readFrames } from "../src/media/read-frames.ts";
import { type FrameIndex, scan } from "../src/media/scan.ts";
import { listChildren } from "../src/media/testing/children.ts";
import { loadOpenCv } from "../src/workers/opencv.ts";
import { selectSideBySide } from "../src/workers/select-side-by-side.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SHARED = process.env.SIGHTLINE_SHARED ?? join(ROOT, "../shared");
const VIDEOS = process.env.SIGHTLINE_VIDEOS ?? join(SHARED, "data/videos");
const PYTHON = process.env.SIGHTLINE_PYTHON ?? "python3";
const SCRIPT = join(import.meta.dirname, "keyframes-released.py");
const RUNS = 3;
/** A pair is decisive when the released decision flips in at most this share of reorderings. */
const DECISIVE = 0.05;

/** What all clips took. */
type Spent = { secs: number; cpu_secs: number };
type Pair = { reference: number; frame: number; kept: boolean; overlap: number | null; flips: number };
type Judged = {
  file: string;
  problem?: string;
  sampled: number[];
  selected: number[];
  pairs: Pair[];
  reordered: number[][];
};

const run = promisify(execFile);
const print = (figure: object) => console.log(JSON.stringify(figure));

const released = findReleased();
const files = listVideos(VIDEOS);
if (released === null || files.length === 0) {
  console.error(
    "K1 and K4 skipped: set SIGHTLINE_RELEASED to the released code and have the handed clips beside.",
  );
} else {
  const only = process.argv[2];
  if (only !== "K4") await measureSpeed(released);
  if (only !== "K1") await measureAgreement(released);
}

function findReleased(): string | null {
  const given = process.env.SIGHTLINE_RELEASED;
  if (given === undefined) return null;
  const file = given.endsWith(".py") ? given : join(given, "train/conver_format/utils.py");
  return existsSync(file) ? file : null;
}

function listVideos(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(mp4|mov|mkv|webm|avi|gif)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** K1: wall seconds for all clips, as a server does them (sample tables known), against the released loop. */
async function measureSpeed(utils: string): Promise<void> {
  const indexes = new Map<string, FrameIndex>();
  for (const file of files) indexes.set(file, (await scan(file, { interval_secs: 1 })).index);
  const ours: Spent[] = [];
  const theirs: Spent[] = [];
  let version = "";
  // Background work of the server runs at this priority, so the released code does too.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  for (let i = 0; i < RUNS; i += 1) {
    const { stdout } = await run(PYTHON, [SCRIPT, utils, "time", ...files], { maxBuffer: 1 << 26 });
    const { opencv, ...spent } = JSON.parse(stdout) as Spent & { opencv: string };
    version = opencv;
    theirs.push(spent);
    ours.push(await timeOurs(indexes, SIGHTLINE_SETTINGS));
  }
  const ratios = ours.map(({ secs }, i) => secs / (theirs[i]?.secs ?? Number.NaN));
  const value = median(ratios);
  const say = (spent: Spent[]) =>
    `${median(spent.map(({ secs }) => secs)).toFixed(1)} s (${median(spent.map(({ cpu_secs }) => cpu_secs)).toFixed(1)} CPU s)`;
  print({
    id: "K1",
    value,
    unit: "ratio",
    target: "<= 0.5",
    ok: value <= 0.5,
    runs: RUNS,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    cpu_ratio: median(ours.map(({ cpu_secs }, i) => cpu_secs / (theirs[i]?.cpu_secs ?? Number.NaN))),
    with: `${files.length} clips, preset sightline, ${say(ours)}, the start of decoder processes included, against ${say(theirs)} of the released extractor with OpenCV ${version}, Python's start and imports left out; ${availableParallelism()} cores, sample tables known`,
  });
}

async function timeOurs(indexes: Map<string, FrameIndex>, settings: KeyFrameSettings): Promise<Spent> {
  const folder = mkdtempSync(join(tmpdir(), "sightline-bench-"));
  const others = new Set(listChildren().map(({ pid }) => pid));
  const began = performance.now();
  const pool = createDecoderPool();
  try {
    await Promise.all(
      [...indexes].map(([file, index], i) =>
        selectSideBySide(
          pool,
          { clip_id: String(i), file, index, settings, cache_dir: join(folder, String(i)) },
          {},
        ),
      ),
    );
    const secs = (performance.now() - began) / 1000;
    const decoders = listChildren().filter(({ pid }) => !others.has(pid));
    return { secs, cpu_secs: decoders.reduce((sum, child) => sum + child.cpu_secs, 0) };
  } finally {
    pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** K4: on the pairs that the released extractor is sure of, and on whole chains, in its own preset and on its own samples. */
async function measureAgreement(utils: string): Promise<void> {
  const { cv } = await loadOpenCv();
  const extractor = createExtractor(cv, EMBODIED_R_SETTINGS);
  let decisive = 0;
  let agreed = 0;
  let pairs = 0;
  const likeness: number[] = [];
  const own: number[] = [];
  for (const judged of await getJudged(utils)) {
    if (judged.problem !== undefined) {
      console.error(`${basename(judged.file)}: the released extractor says ${judged.problem}`);
      continue;
    }
    const { index } = await scan(judged.file, { interval_secs: 1 });
    const frames: FrameFeatures[] = [];
    for (const plane of readFrames(judged.file, index, judged.sampled))
      frames.push(extractor.describe(plane));
    if (frames.length !== judged.sampled.length) {
      console.error(
        `${basename(judged.file)}: ${judged.sampled.length} frames sampled, ${frames.length} readable here`,
      );
      continue;
    }
    const getPair = createPairSource(frames, new PairCache(), extractor);
    let mine = 0;
    let sure = 0;
    for (const pair of judged.pairs) {
      if (pair.flips > DECISIVE) continue;
      sure += 1;
      const kept = isKept(frames, getPair, pair);
      if (kept === pair.kept) mine += 1;
      else
        console.error(
          `  ${basename(judged.file)} ${pair.reference}→${pair.frame}: released ${pair.overlap}, ours ${kept}`,
        );
    }
    const like = getLikeness(selectChain(frames, getPair), judged.selected);
    const self = mean(judged.reordered.map((chain) => getLikeness(chain, judged.selected)));
    console.error(
      `${basename(judged.file).slice(0, 40).padEnd(40)} pairs ${judged.pairs.length}, sure ${sure}, agreed ${mine}; chain ${like.toFixed(2)}, released with itself ${self.toFixed(2)}`,
    );
    pairs += judged.pairs.length;
    decisive += sure;
    agreed += mine;
    likeness.push(like);
    own.push(self);
  }
  const value = agreed / decisive;
  const chains = mean(likeness);
  const itself = mean(own);
  print({
    id: "K4",
    value,
    unit: "share",
    target: ">= 0.97",
    ok: value >= 0.97,
    runs: 1,
    with: `${decisive} decisive of ${pairs} pairs in ${likeness.length} clips`,
  });
  print({
    id: "K4-chains",
    value: chains,
    unit: "Jaccard within 1 sampled frame",
    target: `>= ${itself.toFixed(3)}, the released extractor with itself, matches reordered`,
    ok: chains >= itself,
    runs: 1,
    with: `${likeness.length} clips`,
  });
}

async function getJudged(utils: string): Promise<Judged[]> {
  const kept = process.env.SIGHTLINE_JUDGED;
  let lines: string;
  if (kept !== undefined && existsSync(kept)) lines = readFileSync(kept, "utf8");
  else {
    ({ stdout: lines } = await run(PYTHON, [SCRIPT, utils, "judge", ...files], { maxBuffer: 1 << 28 }));
    if (kept !== undefined) writeFileSync(kept, lines);
  }
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Judged);
}

function isKept(frames: readonly FrameFeatures[], getPair: GetPair, { reference, frame }: Pair): boolean {
  const from = frames[reference];
  const to = frames[frame];
  if (from === undefined || to === undefined) throw new RangeError("a pair of frames that were not sampled");
  const overlap = getOverlap(getPair(from.frame, to.frame), EMBODIED_R_SETTINGS);
  return overlap === null || overlap < EMBODIED_R_SETTINGS.threshold;
}

/** Positions in the sampled frames of what the chain keeps, before the clamp. */
function selectChain(frames: readonly FrameFeatures[], getPair: GetPair): number[] {
  const chain = startChain(EMBODIED_R_SETTINGS, getPair);
  for (const frame of frames) chain.push(toSampledFrame(frame));
  return chain.finish().flatMap(({ kept }, i) => (kept ? [i] : []));
}

/** Jaccard index of two chains where a frame counts as the same when it is at most one sampled frame away. */
function getLikeness(a: readonly number[], b: readonly number[]): number {
  let same = 0;
  let j = 0;
  for (const i of a) {
    while (j < b.length && (b[j] as number) < i - 1) j += 1;
    if (j < b.length && (b[j] as number) <= i + 1) {
      same += 1;
      j += 1;
    }
  }
  return same / (a.length + b.length - same);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
