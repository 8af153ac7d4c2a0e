import { basename, dirname } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import type { Clip, SampleTable } from "@sightline/core/clips";
import { readOrdinalStrip } from "@sightline/core/testing";

/** A picture as it stands on the player's canvas: its size in the screen's pixels, and its green channel. */
export type ShownPicture = { width: number; height: number; green: Uint8Array };

/**
 * Adds video files by the server's listed folders and waits until all have been read, proxies included.
 *
 * @param files  Absolute paths in folders that are in SIGHTLINE_FOLDERS.
 * @returns The clips in the order of the files; undefined for a file that was not taken.
 */
export async function addFiles(page: Page, files: readonly string[]): Promise<(Clip | undefined)[]> {
  const folders = await query<{ folder_id: string; path: string }[]>(page, "clips.folders");
  const ids = new Map<string, string>();
  for (const { folder_id, path } of folders) {
    const mine = files.filter((file) => dirname(file) === path);
    if (mine.length === 0) continue;
    const paths = mine.map((file) => basename(file));
    const added = await mutate<{ added?: { clip: Clip } }[]>(page, "clips.addFromFolder", {
      folder_id,
      paths,
    });
    for (const [i, file] of mine.entries()) {
      const clip_id = added[i]?.added?.clip.clip_id;
      if (clip_id !== undefined) ids.set(file, clip_id);
    }
  }
  await expect
    .poll(async () => (await query<Clip[]>(page, "clips.list")).filter((clip) => !isSettled(clip)).length, {
      timeout: 300_000,
      message: "clips still being read or prepared",
    })
    .toBe(0);
  const clips = await query<Clip[]>(page, "clips.list");
  return files.map((file) => clips.find(({ clip_id }) => clip_id === ids.get(file)));
}

/** True once nothing more is being done with a clip that was added. */
export function isSettled({ state, playback, playback_problem }: Clip): boolean {
  if (state === "reading") return false;
  return state === "refused" || playback !== "none" || playback_problem !== null;
}

export function getTable(page: Page, clip_id: string): Promise<SampleTable> {
  return query<SampleTable>(page, "clips.sampleTable", { clip_id });
}

/** Waits until the key-frames that are selected by themselves of a new clip are there. */
export async function waitForKeyFrames(page: Page, clip_id: string): Promise<void> {
  await expect
    .poll(() => query(page, "keyframes.get", { clip_id }), { timeout: 120_000, message: "key-frames" })
    .not.toBeNull();
}

/** Opens a clip's page at a frame and waits for the picture. */
export async function openClip(page: Page, clip_id: string, frame = 0): Promise<void> {
  await page.goto(`/clips/${clip_id}?frame=${frame}`);
  await expectFrame(page, frame);
}

export function getCanvas(page: Page): Locator {
  return page.getByTestId("frame-canvas");
}

/** Waits until the exact picture of a frame is on the canvas and the readout names it. */
export async function expectFrame(page: Page, frame: number): Promise<void> {
  await expect(page.getByTestId("frame-number")).toHaveText(`frame ${frame}`);
  await expect(getCanvas(page)).toHaveAttribute("data-frame", String(frame));
  await expect(getCanvas(page)).toHaveAttribute("data-exact", "true");
}

/** Reads back what is on the canvas. */
export async function readPicture(page: Page): Promise<ShownPicture> {
  const { width, height, base64 } = await getCanvas(page).evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    let text = "";
    for (let i = 1; i < data.length; i += 4) text += String.fromCharCode(data[i] ?? 0);
    return { width: canvas.width, height: canvas.height, base64: btoa(text) };
  });
  return { width, height, green: new Uint8Array(Buffer.from(base64, "base64")) };
}

/** The ordinal that the picture on the canvas says it has; null when it says none. */
export async function readOrdinal(page: Page): Promise<number | null> {
  const { width, height, green } = await readPicture(page);
  return readOrdinalStrip(width, height, (x, y) => green[y * width + x] ?? 0);
}

export function query<T>(page: Page, name: string, input?: unknown): Promise<T> {
  const search = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
  return ask<T>(page, `/trpc/${name}${search}`, { method: "GET" });
}

export function mutate<T>(page: Page, name: string, input: unknown): Promise<T> {
  return ask<T>(page, `/trpc/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
}

function ask<T>(
  page: Page,
  path: string,
  init: { method: string; headers?: Record<string, string>; body?: string },
): Promise<T> {
  return page.evaluate(
    async ([to, how]) => {
      const response = await fetch(to, how);
      const { result, error } = (await response.json()) as {
        result?: { data: unknown };
        error?: { message: string };
      };
      if (error) throw new Error(error.message);
      return result?.data;
    },
    [path, init] as const,
  ) as Promise<T>;
}
