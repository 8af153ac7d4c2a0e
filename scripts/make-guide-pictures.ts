/**
 * Draws the pictures of docs/guide/key-frames.md: short sequences, rendered or painted, and what both presets decide of
 * every picture. Prints the decisions as well.
 *
 *   node --import tsx scripts/make-guide-pictures.ts
 */
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import {
  type CvModule,
  createExtractor,
  createPairSource,
  describeDecision,
  EMBODIED_R_SETTINGS,
  type GreyPlane,
  type KeyFrameDecision,
  type KeyFrameSelection,
  type KeyFrameSettings,
  loadCv,
  PairCache,
  SIGHTLINE_SETTINGS,
  selectKeyFrames,
} from "../packages/core/src/keyframes/index.ts";
import {
  createRandom,
  paintFlat,
  paintWall,
  toLuma,
  viewWall,
} from "../packages/core/src/keyframes/testing.ts";
import { generateWorldAround, type Pose, renderView, type World } from "../packages/core/src/worlds/index.ts";
import { findChromium } from "./lib/chromium.ts";

const OUT = join(import.meta.dirname, "../docs/guide/key-frames");
const WIDTH = 480;
const HEIGHT = 270;
const THUMB = 112;

/** A second apart. */
type Case = { name: string; frames: GreyPlane[] };

const require = createRequire(join(import.meta.dirname, "../packages/core/package.json"));
const { cv } = await loadCv(require("@techstark/opencv-js") as CvModule);

const street = generateWorldAround("guide", 3, "street", [{ action: "move forward", amount: 4 }]);
const room = generateWorldAround("guide", 5, "room", [{ action: "rotate left", amount: 90 }]);
const wall = paintWall(3200, 1800, 7);

const CASES: Case[] = [
  { name: "turn", frames: count(8).map((i) => view(room, { heading_deg: 12 * i })) },
  {
    name: "backward",
    frames: count(8).map((i) =>
      viewWall(wall, {
        left: 1500 - 240 * (0.6 + 0.25 * i),
        top: 900 - 135 * (0.6 + 0.25 * i),
        scale: 0.6 + 0.25 * i,
        width: WIDTH,
        height: HEIGHT,
      }),
    ),
  },
  {
    name: "blur",
    frames: count(8).map((i) => {
      const plane = view(room, { heading_deg: 5 * i });
      return i >= 2 && i <= 4 ? smear(plane, 70) : plane;
    }),
  },
  {
    name: "bare-wall",
    frames: count(10).map((i) =>
      i < 2 || i === 9 ? view(room, { heading_deg: 4 * i }) : paintFlat(150 + (i % 2), WIDTH, HEIGHT),
    ),
  },
  {
    name: "mirrored",
    frames: count(8).map((i) => {
      const plane = view(street, { heading_deg: 3 * i });
      return i === 3 || i === 4 ? mirror(plane) : plane;
    }),
  },
  {
    name: "static",
    frames: count(10).map((i) => addNoise(view(street, {}), i)),
  },
  {
    name: "cut",
    frames: count(8).map((i) => view(Math.floor(i / 3) % 2 === 0 ? room : street, { heading_deg: 4 * i })),
  },
  {
    name: "exposure",
    frames: count(8).map((i) =>
      expose(view(room, { heading_deg: 6 * i }), [1, 1, 1.9, 1.9, 0.45, 0.45, 1, 1][i] ?? 1),
    ),
  },
  {
    name: "caption",
    frames: count(8).map((i) =>
      burnIn(view(i < 3 ? room : i < 6 ? street : room, { heading_deg: 90 * (i % 3) })),
    ),
  },
];

function count(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

function view(world: World, turned: Partial<Pose>): GreyPlane {
  const start = world.poses[0] as Pose;
  const heading_deg = start.heading_deg + (turned.heading_deg ?? 0);
  const rgb = renderView(world, { ...start, ...turned, heading_deg }, WIDTH, HEIGHT);
  const channels = rgb.length / (WIDTH * HEIGHT);
  const data = new Uint8Array(WIDTH * HEIGHT);
  for (let i = 0; i < data.length; i += 1) {
    const [r = 0, g = 0, b = 0] = rgb.subarray(channels * i, channels * i + 3);
    data[i] = 0.299 * r + 0.587 * g + 0.114 * b;
  }
  return { width: WIDTH, height: HEIGHT, data };
}

/** What a fast turn does within one exposure: the mean of this many pixels along the row. */
function smear({ width, height, data }: GreyPlane, length: number): GreyPlane {
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let i = 0; i < length; i += 1) sum += data[y * width + Math.min(width - 1, x + i)] as number;
      out[y * width + x] = sum / length;
    }
  }
  return { width, height, data: out };
}

function mirror({ width, height, data }: GreyPlane): GreyPlane {
  const out = data.slice();
  for (let y = 0; y < height; y += 1) out.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, data: out };
}

function addNoise(plane: GreyPlane, seed: number): GreyPlane {
  const random = createRandom(seed + 1);
  return { ...plane, data: plane.data.map((value) => value + Math.round(2 * random() - 1)) };
}

function expose(plane: GreyPlane, gain: number): GreyPlane {
  return { ...plane, data: plane.data.map((value) => Math.min(255, value * gain)) };
}

/** Two lines of letters in the lower third, in every picture the same. */
function burnIn(plane: GreyPlane): GreyPlane {
  const random = createRandom(9);
  const data = plane.data.slice();
  for (let line = 0; line < 2; line += 1) {
    const top = 200 + 32 * line;
    for (let y = top; y < top + 26; y += 1) data.fill(0, y * WIDTH + 60, y * WIDTH + 420);
    for (let i = 0; i < 260; i += 1) {
      const [x, y] = [62 + Math.floor(random() * 352), top + 2 + Math.floor(random() * 18)];
      for (let row = 0; row < 5; row += 1) data.fill(255, (y + row) * WIDTH + x, (y + row) * WIDTH + x + 3);
    }
  }
  return { ...plane, data };
}

function select({ name, frames }: Case, settings: KeyFrameSettings): KeyFrameSelection {
  const extractor = createExtractor(cv, settings);
  const features = frames.map((plane, i) => extractor.describe({ ...toLuma(plane, i, i), full_range: true }));
  return selectKeyFrames(name, features, settings, createPairSource(features, new PairCache(), extractor));
}

/** The plane as a BMP, which needs no compressor: 256 greys, rows from below. */
function toDataUri({ width, height, data }: GreyPlane): string {
  const head = 54 + 1024;
  const row = Math.ceil(width / 4) * 4;
  const bytes = Buffer.alloc(head + row * height);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(head, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(8, 28);
  bytes.writeUInt32LE(256, 46);
  for (let i = 0; i < 256; i += 1) bytes.fill(i, 54 + 4 * i, 57 + 4 * i);
  for (let y = 0; y < height; y += 1)
    bytes.set(data.subarray(y * width, (y + 1) * width), head + row * (height - 1 - y));
  return `data:image/bmp;base64,${bytes.toString("base64")}`;
}

/** In the width of a thumbnail: what decided. */
function explain({ rule, overlap, evidence }: KeyFrameDecision): string {
  const measured = overlap === null ? "" : ` ${overlap.toFixed(overlap.toFixed(2) === "0.50" ? 3 : 2)}`;
  switch (rule) {
    case "first":
    case "gap":
      return rule;
    case "last":
    case "filled":
      return `${rule}${measured}`;
    case "low_overlap":
    case "enough_overlap":
      return `overlap${measured}`;
    case "uniform_minimum":
      return `fewer than ${SIGHTLINE_SETTINGS.min_frames}`;
    case "few_matches":
      return `${evidence?.matches} matches`;
    case "few_inliers": {
      const covered = Math.round(100 * Math.min(evidence?.spread ?? 0, evidence?.extent ?? 0));
      return (evidence?.inliers ?? 0) < 30 ? `${evidence?.inliers} inliers` : `cover ${covered} %`;
    }
    case "no_descriptors":
      return "no features";
    default:
      return rule.replaceAll("_", " ");
  }
}

function drawRow(selection: KeyFrameSelection): string {
  const cells = selection.decisions.map(
    (one) =>
      `<td class="${one.kept ? "kept" : "dropped"}"><b>${one.kept ? "kept" : "dropped"}</b>${explain(one)}</td>`,
  );
  return `<tr><th>${selection.settings.preset}</th>${cells.join("")}</tr>`;
}

const STYLE = `
  body { margin: 0; background: #fff; font: 11px/1.35 system-ui, sans-serif; color: #1b1f24; }
  table { border-collapse: separate; border-spacing: 4px; padding: 4px; width: max-content; }
  th { text-align: left; font-weight: 600; padding-right: 6px; white-space: nowrap; }
  img { width: ${THUMB}px; height: ${Math.round((THUMB * HEIGHT) / WIDTH)}px; display: block; border-radius: 3px; }
  td { width: ${THUMB}px; vertical-align: top; }
  td.kept, td.dropped { padding: 3px 6px; border-radius: 3px; box-sizing: border-box; }
  td b { display: block; }
  td.kept { background: #d5efe1; color: #0d5a37; }
  td.dropped { background: #eef0f3; color: #4c5663; }
`;

mkdirSync(OUT, { recursive: true });
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 400 } });
  for (const one of CASES) {
    const selections = [EMBODIED_R_SETTINGS, SIGHTLINE_SETTINGS].map((settings) => select(one, settings));
    const pictures = one.frames.map((plane) => `<td><img src="${toDataUri(plane)}" alt=""></td>`);
    await page.setContent(
      `<style>${STYLE}</style><table><tr><th></th>${pictures.join("")}</tr>${selections.map(drawRow).join("")}</table>`,
    );
    await page.locator("table").screenshot({ path: join(OUT, `${one.name}.png`) });
    for (const { settings, decisions, note } of selections) {
      console.log(`\n${one.name}, ${settings.preset}${note === null ? "" : `: ${note}`}`);
      for (const decision of decisions)
        console.log(`  ${decision.frame} ${describeDecision(decision, settings)}`);
    }
  }
} finally {
  await browser.close();
}
