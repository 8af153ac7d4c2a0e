import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import { addFiles, expectFrame, getTable, openClip, readOrdinal, readPicture } from "./support/clip.ts";
import { getClipPath } from "./support/library.ts";
import { compareFrames } from "./support/likeness.ts";
import { expect, test } from "./support/server.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/clips");
const SHARED = process.env.SIGHTLINE_SHARED ?? join(import.meta.dirname, "../../../../shared");
const VIDEOS = join(SHARED, "data/videos");
const EDGE = join(VIDEOS, "edge");

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = [FIXTURES, VIDEOS, EDGE].filter(existsSync).join(delimiter);
});

async function addFixture(page: Page, name: string): Promise<Clip> {
  const [clip] = await addFiles(page, [getClipPath(name)]);
  if (clip === undefined) throw new Error(`${name} was not added`);
  return clip;
}

/** Goes to frames by the number field, as a person would, and reads from the picture which one it is. */
async function readFrames(page: Page, frames: readonly number[]): Promise<(number | null)[]> {
  const read: (number | null)[] = [];
  for (const frame of frames) {
    await page.getByTestId("frame-number").click();
    await page.getByRole("textbox", { name: "frame" }).fill(String(frame));
    await page.keyboard.press("Enter");
    await expectFrame(page, frame);
    read.push(await readOrdinal(page));
  }
  return read;
}

for (const [what, names] of [
  [
    "even rate and pictures coded out of order",
    ["cfr-30.mp4", "ntsc-29.97.mp4", "b-frames.mp4", "fragmented.mp4"],
  ],
  ["B41: uneven times and dropped frames", ["vfr-gap.mp4", "dropped-frames.mp4"]],
  [
    "B42: edit lists and clocks that start elsewhere",
    ["edit-list.mp4", "edit-list-b-frames.mp4", "negative-start.mp4", "late-start.mkv"],
  ],
  ["B44: no count in the header", ["vp8.webm", "vp9.webm", "av1.mkv", "transport-stream.ts"]],
  [
    "B45: turned, and pixels that are not square",
    ["rotated-90.mp4", "rotated-180.mp4", "rotated-270.mov", "pixel-aspect-2-1.mp4"],
  ],
  [
    "B48: the last picture comes out of the decoder",
    ["last-is-new.mp4", "two-frames.mp4", "single-frame.mp4"],
  ],
  ["S01: played by a proxy", ["hevc.mp4", "mpeg4-part2.mp4", "h264-in-avi.avi", "gif.gif"]],
] as const) {
  test(`the picture shown is the frame named: ${what}`, async ({ page }) => {
    const clips = await addFiles(page, names.map(getClipPath));
    for (const [i, clip] of clips.entries()) {
      if (clip === undefined) throw new Error(`${names[i]} was not added`);
      await test.step(clip.name, async () => {
        const last = (clip.frame_count ?? 1) - 1;
        const middle = Math.floor(last / 2);
        const frames = [...new Set([last, 0, middle, middle - 1, 1, last - 1])].filter(
          (frame) => frame >= 0 && frame <= last,
        );
        await openClip(page, clip.clip_id, last);
        expect.soft(await readFrames(page, frames), clip.name).toEqual(frames);

        const { width, height } = await readPicture(page);
        const aspect = (clip.display_width ?? 1) / (clip.display_height ?? 1);
        expect.soft(Math.abs(width / height / aspect - 1), `proportions of ${clip.name}`).toBeLessThan(0.01);
      });
    }
  });
}

test("a frame that was not decodable here comes from the server, and is named", async ({ page }) => {
  const clip = await addFixture(page, "damaged.mp4");
  expect(clip.state).toBe("partial");
  const { time_secs } = await getTable(page, clip.clip_id);
  await openClip(page, clip.clip_id, 0);
  await expect(page.getByRole("list", { name: "Notes on this clip" })).toContainText(clip.problem ?? "–");
  for (const frame of [0, time_secs.length - 1]) {
    await readFrames(page, [frame]);
    expect((await readPicture(page)).green.some((value) => value > 0)).toBe(true);
  }
});

test("every step shows the next frame, forwards and backwards", async ({ page }) => {
  const clip = await addFixture(page, "b-frames.mp4");
  await openClip(page, clip.clip_id, 0);
  for (let frame = 1; frame < 20; frame += 1) {
    await page.keyboard.press(".");
    await expectFrame(page, frame);
    expect(await readOrdinal(page)).toBe(frame);
  }
  for (let frame = 18; frame > 5; frame -= 1) {
    await page.keyboard.press(",");
    await expectFrame(page, frame);
    expect(await readOrdinal(page)).toBe(frame);
  }
});

test("the handed clips show the server's pictures, frame by frame @field", async ({ page }) => {
  test.skip(!existsSync(EDGE), "the shared folder with the handed clips is not there");
  test.setTimeout(900_000);
  const clips = await addFiles(
    page,
    readdirSync(EDGE).map((name) => join(EDGE, name)),
  );
  for (const clip of clips) {
    if (clip === undefined || clip.state === "refused") continue;
    await test.step(clip.name, async () => {
      const last = (clip.frame_count ?? 1) - 1;
      const frames = [...new Set([0, 1, 2, Math.floor(last / 3), Math.floor(last / 2), last - 1, last])];
      const asked = frames.filter((frame) => frame >= 0 && frame <= last);
      await openClip(page, clip.clip_id, 0);
      const verdicts = await compareFrames(page, clip.clip_id, asked, last);
      const wrong = asked.filter((_, i) => verdicts[i] !== "own" && verdicts[i] !== "still");
      expect.soft(wrong, `${clip.name}: ${verdicts.join(", ")}`).toEqual([]);
    });
  }
});
