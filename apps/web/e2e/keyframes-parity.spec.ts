import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import {
  EMBODIED_R_SETTINGS,
  type KeyFrameSelection,
  type KeyFrameSettings,
  SIGHTLINE_SETTINGS,
} from "@sightline/core/keyframes";
import type { Call, Note } from "../src/features/clip/extract/messages.ts";
import { addFiles, getTable, mutate, query } from "./support/clip.ts";

import { expect, test } from "./support/server.ts";
import { callWorker, getResult, startWorker } from "./support/worker.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(ROOT, "fixtures/clips");
const SHARED = process.env.SIGHTLINE_SHARED ?? join(ROOT, "../shared");
const VIDEOS = join(SHARED, "data/videos");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = [FIXTURES, VIDEOS, join(VIDEOS, "edge")].filter(existsSync).join(delimiter);
});

test("browser and server select the same frames of every fixture", async ({ page }) => {
  test.setTimeout(300_000);
  await startWorker(page, "extract-worker");
  await compareAll(page, list(FIXTURES));
});

test("browser and server select the same frames of the handed clips @field", async ({ page }) => {
  test.skip(!existsSync(VIDEOS), "the shared folder with the handed clips is not there");
  test.setTimeout(1_200_000);
  await startWorker(page, "extract-worker");
  await compareAll(page, [...list(VIDEOS), ...list(join(VIDEOS, "edge"))], true);
});

test("another threshold is selected in the browser from cached features as the server selects it", async ({
  page,
}) => {
  await startWorker(page, "extract-worker");
  const [clip] = await addFiles(page, [join(FIXTURES, "cfr-30.mp4")]);
  if (clip === undefined) throw new Error("the fixture was not added");
  const stored = await selectOnServer(page, clip, SIGHTLINE_SETTINGS);
  for (const threshold of [0.9, 0.7, 0.99]) {
    const settings = { ...SIGHTLINE_SETTINGS, threshold };
    const here = await getResult<Call, KeyFrameSelection>(page, {
      type: "reselect",
      clip_id: clip.clip_id,
      stored_hash: stored.settings_hash,
      settings,
    });
    expect(here).toEqual(await query(page, "keyframes.select", { clip_id: clip.clip_id, settings }));
  }
});

test("a cancelled extraction ends and leaves the worker usable", async ({ page }) => {
  await startWorker(page, "extract-worker");
  const [clip] = await addFiles(page, [join(FIXTURES, "ntsc-29.97.mp4")]);
  if (clip === undefined) throw new Error("the fixture was not added");
  const source = await getSource(page, clip);
  const ask = { type: "extract", clip: source, settings: SIGHTLINE_SETTINGS } as const;
  // Enough to look at that it goes on while the cancel is on its way.
  const long = { ...ask, settings: { ...SIGHTLINE_SETTINGS, interval_secs: 0.05 } };
  const { last, notes } = await callWorker<Call, Note, KeyFrameSelection>(page, long, {
    cancelAt: { field: "done" },
  });
  expect(last.type).toBe("cancelled");
  expect(notes.length).toBeGreaterThan(0);
  const again = await getResult<Call, KeyFrameSelection>(page, ask);
  expect(listKept(again)).toEqual(listKept(await selectOnServer(page, clip, SIGHTLINE_SETTINGS)));
});

function list(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.(mp4|mov|mkv|webm|avi|ts|gif)$/.test(name))
    .map((name) => join(folder, name));
}

async function compareAll(page: Page, files: readonly string[], withTable = false): Promise<void> {
  for (const clip of await addFiles(page, files)) {
    if (clip === undefined || clip.state === "refused") continue;
    const source = await getSource(page, clip);
    for (const settings of [SIGHTLINE_SETTINGS, EMBODIED_R_SETTINGS]) {
      await test.step(`${clip.name}, ${settings.preset}, ${source.playback}`, async () => {
        const server = await selectOnServer(page, clip, settings);
        const browser = await getResult<Call, KeyFrameSelection>(page, {
          type: "extract",
          clip: source,
          settings,
        });
        if (withTable) print(clip, source.playback, server, browser);
        expect.soft(listKept(browser), `kept frames of ${clip.name}`).toEqual(listKept(server));
        expect
          .soft(listOverlaps(browser), `frames looked at in ${clip.name}`)
          .toHaveLength(server.decisions.length);
        for (const [i, overlap] of listOverlaps(server).entries()) {
          const there = listOverlaps(browser)[i];
          if (overlap === null || there === null || there === undefined) expect.soft(there).toBe(overlap);
          else expect.soft(Math.abs(there - overlap), `${clip.name}, overlap ${i}`).toBeLessThan(1e-6);
        }
        expect.soft(browser.note).toBe(server.note);
      });
    }
  }
}

/** A line of the table: what was selected on both sides. */
function print(clip: Clip, playback: string, server: KeyFrameSelection, browser: KeyFrameSelection): void {
  const same = JSON.stringify(listKept(server)) === JSON.stringify(listKept(browser)) ? "same" : "DIFFERENT";
  console.log(
    `${clip.name.slice(0, 44).padEnd(44)} ${(clip.codec ?? "").padEnd(8)} ${playback.padEnd(8)} ${server.settings.preset.padEnd(10)} ${String(server.decisions.length).padStart(4)} sampled ${String(listKept(server).length).padStart(3)} kept ${same}`,
  );
}

const listKept = ({ decisions }: KeyFrameSelection) =>
  decisions.filter(({ kept }) => kept).map(({ frame }) => frame);
const listOverlaps = ({ decisions }: KeyFrameSelection) => decisions.map(({ overlap }) => overlap);

async function getSource(page: Page, clip: Clip) {
  const { clip_id, playback, rotation } = clip;
  return { clip_id, playback, rotation, table: await getTable(page, clip_id) };
}

async function selectOnServer(
  page: Page,
  clip: Clip,
  settings: KeyFrameSettings,
): Promise<KeyFrameSelection> {
  const input = { clip_id: clip.clip_id, settings };
  const found = await query<KeyFrameSelection | null>(page, "keyframes.get", input);
  if (found) return found;
  await mutate(page, "keyframes.extract", input);
  let selection: KeyFrameSelection | null = null;
  await expect
    .poll(
      async () => {
        selection = await query<KeyFrameSelection | null>(page, "keyframes.get", input);
        return selection !== null;
      },
      { timeout: 120_000, message: `the server's key-frames of ${clip.name}` },
    )
    .toBe(true);
  if (selection === null) throw new Error("unreachable: polled until there is a selection");
  return selection;
}
