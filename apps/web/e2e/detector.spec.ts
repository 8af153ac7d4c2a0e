import { join } from "node:path";
import { type Detection, detect, type Picture, readYuv } from "@sightline/core/detection";
import { readPictures } from "../../server/src/media/read-frames.ts";
import { scan } from "../../server/src/media/scan.ts";
import { copyYuv } from "../../server/src/media/yuv.ts";
import { openNetwork } from "../../server/src/workers/detect.ts";
import { addFiles, openClip } from "./support/clip.ts";
import { expect, test } from "./support/server.ts";
import { getResult, startWorker } from "./support/worker.ts";

const WORLDS = join(import.meta.dirname, "../../../fixtures/worlds");

/** What may lie between browser and server on the same pixels: a box's edges as a share of the longer side, and the score. */
const EDGE = 1.5 / 512;
const SCORE = 0.02;

/** The same where each decodes the frame and turns it to RGB by itself, by other tables. */
const OWN_EDGE = 4 / 512;
const OWN_SCORE = 0.06;

const CASES = [
  { name: "street-crossing-1", frames: [0, 10, 15, 40, 65] },
  { name: "courtyard-up-and-down-1", frames: [0, 30] },
  { name: "street-there-and-back-1", frames: [40] },
];

test.beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = WORLDS;
});

test("browser and server find the same objects in the same pixels", async ({ page }) => {
  const run = await openNetwork();
  await startWorker(page, "detector-worker");
  const labels = new Set<string>();
  for (const { name, frames } of CASES)
    for (const { frame, picture } of await readFrames(name, frames)) {
      const there = await detect(picture, run);
      const here = await getResult<Picture, Detection[]>(page, picture);
      expectSame(here, there, picture, { edge: EDGE, score: SCORE }, `${name}, frame ${frame}`);
      for (const { label } of there) labels.add(label);
    }
  expect([...labels].sort()).toEqual(
    expect.arrayContaining(["clock", "sports ball", "stop sign", "traffic light"]),
  );
});

test("the clip page shows on the picture what the server finds, and asks nobody else for it", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const [clip] = await addFiles(page, [join(WORLDS, "street-crossing-1.mp4")]);
  if (clip === undefined) throw new Error("the sample was not added");
  const [{ picture } = { picture: null }] = await readFrames("street-crossing-1", [40]);
  if (picture === null) throw new Error("the frame could not be decoded");
  const there = await detect(picture, await openNetwork());
  expect(there.length).toBeGreaterThan(0);

  await openClip(page, clip.clip_id, 40);
  await page.keyboard.press("o");
  await expect(page.getByTestId("objects")).toHaveText(
    there.length === 1 ? "1 object" : `${there.length} objects`,
    {
      timeout: 60_000,
    },
  );
  const here = await page.getByTestId("detection").evaluateAll((groups) =>
    groups.map((group) => {
      const box = group.querySelector("rect");
      const [x, y, width, height] = ["x", "y", "width", "height"].map((side) =>
        Number(box?.getAttribute(side)),
      );
      return {
        label: group.getAttribute("data-label") ?? "",
        score: Number(group.getAttribute("data-score")),
        box: [x, y, (x ?? 0) + (width ?? 0), (y ?? 0) + (height ?? 0)],
      };
    }),
  );
  expectSame(here as Detection[], there, picture, { edge: OWN_EDGE, score: OWN_SCORE }, "frame 40");

  await page.keyboard.press("End");
  await expect(page.getByTestId("objects")).toHaveText("2 objects");
  await page.getByRole("button", { name: "Objects" }).click();
  await expect(page.getByTestId("detection")).toHaveCount(0);
  const origin = new URL(page.url()).origin;
  expect(asked.filter((url) => /^https?:/.test(url) && !url.startsWith(origin))).toEqual([]);
});

function expectSame(
  here: readonly Detection[],
  there: readonly Detection[],
  { width, height }: Picture,
  tolerance: { edge: number; score: number },
  where: string,
): void {
  const inOrder = (found: readonly Detection[]) =>
    [...found].sort((a, b) => a.label.localeCompare(b.label) || a.box[0] - b.box[0]);
  expect(
    inOrder(here).map(({ label }) => label),
    where,
  ).toEqual(inOrder(there).map(({ label }) => label));
  inOrder(here).forEach(({ score, box }, at) => {
    const other = inOrder(there)[at];
    expect(Math.abs(score - (other?.score ?? 0)), `${where}: score`).toBeLessThanOrEqual(tolerance.score);
    box.forEach((edge, side) => {
      const off = Math.abs(edge - (other?.box[side] ?? Number.NaN));
      expect(off, `${where}: edge ${side}`).toBeLessThanOrEqual(tolerance.edge * Math.max(width, height));
    });
  });
}

async function readFrames(name: string, frames: number[]): Promise<{ frame: number; picture: Picture }[]> {
  const file = join(WORLDS, `${name}.mp4`);
  const { index } = await scan(file, { interval_secs: 1 });
  const read: { frame: number; picture: Picture }[] = [];
  for (const { ordinal, frame, facts } of readPictures(file, index, frames, 1))
    read.push({ frame: ordinal, picture: readYuv(copyYuv(frame, facts.rotation)) });
  return read;
}
