import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { serveGallery } from "../../../packages/ui/gallery/serve.ts";

let url = "";
let close = async () => {};

test.beforeAll(async () => {
  test.setTimeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), "sightline-gallery-"));
  const gallery = await serveGallery({ outDir: join(folder, "dist") });
  url = gallery.url;
  close = async () => {
    await gallery.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
test.afterAll(() => close());

async function show(page: Page, picture: string, scheme = "light"): Promise<void> {
  await page.goto(`${url}?picture=${picture}&scheme=${scheme}`);
  await page.getByRole("slider").waitFor();
}

/** Each path of the picture: what it stands for, and of how many points it is made. */
function readPaths(page: Page): Promise<string[]> {
  return page.locator("path[data-role]").evaluateAll((paths) =>
    paths.map((path) => {
      const points = (path.getAttribute("d") ?? "").split(/[ML]/).length - 1;
      return `${path.getAttribute("data-role")} ${points}`;
    }),
  );
}

const MARKS = [
  "mark-checkpoint 1",
  "mark-checkpoint 1",
  "hair 1",
  "mark-restart 1",
  "hair 1",
  "mark-warning 2",
];
const MORE_MARKS = ["hair 1", "mark-error 2", "mark-evaluation 4"];
const BANDS = ["band 1", "boundary 1", "boundary 1"];
const around = (...inside: string[]) => [...BANDS, ...inside, ...MARKS, ...MORE_MARKS];

const PICTURES: [name: string, paths: string[]][] = [
  ["parts", around("value 190", "value 190", "value 190")],
  ["stacked", around("stack 380", "stack 380", "stack 380", "edge 190", "edge 190", "edge 190")],
  ["resumed", around("rolled_back 31", "value 190")],
  ["smoothed", around("raw 190", "value 190")],
  [
    "holes",
    around("value 60", "value 20", "value 19", "value 19", "value 49", "dot 1", "nan 4", "inf 2", "-inf 2"),
  ],
  ["single", around("dot 1")],
  ["empty", []],
];

for (const [name, paths] of PICTURES)
  test(`the picture "${name}" is what its data say`, async ({ page }) => {
    await show(page, name);
    await expect.poll(async () => (await readPaths(page)).sort()).toEqual([...paths].sort());
  });

test("the same data draw the same picture, to the character", async ({ page }) => {
  const read = () =>
    page.locator("path[data-role]").evaluateAll((paths) => paths.map((path) => path.outerHTML).join("\n"));
  const all = page.locator("path[data-role='value']");
  await show(page, "parts");
  await expect(all).toHaveCount(3);
  const first = await read();
  await show(page, "parts");
  await expect(all).toHaveCount(3);
  // The clip's id is the only thing that is made anew.
  const bare = (html: string) => html.replace(/url\([^)]*\)/g, "");
  expect(bare(await read())).toBe(bare(first));
});

test("more than ten lines are drawn on a canvas, in all their colours, by the same axes", async ({
  page,
}) => {
  await show(page, "twenty");
  const canvas = page.locator("canvas[data-layer=shapes]");
  await expect(canvas).toBeVisible();
  await expect(page.locator("path[data-role]")).toHaveCount(0);
  const countHues = () =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      const context = element.getContext("2d");
      const { data } = context?.getImageData(0, 0, element.width, element.height) ?? { data: [] };
      const found = new Map<string, number>();
      for (let k = 0; k < data.length; k += 4) {
        const [r = 0, g = 0, b = 0, a = 0] = [data[k], data[k + 1], data[k + 2], data[k + 3]];
        if (a < 250 || Math.max(r, g, b) - Math.min(r, g, b) < 40) continue;
        const key = `${r >> 4}${g >> 4}${b >> 4}`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
      return [...found.values()].filter((count) => count > 20).length;
    });
  await expect.poll(countHues).toBeGreaterThanOrEqual(9);
});

test("one cursor crosses all charts, and each reads out its own values", async ({ page }) => {
  await page.goto(url);
  await expect(page.getByRole("slider")).toHaveCount(11);
  await page.getByRole("slider", { name: "Reward parts" }).hover({ position: { x: 200, y: 60 } });
  const countCrossed = () =>
    page
      .locator("[role=slider] > svg")
      .evaluateAll((layers) => layers.filter((layer) => layer.querySelector("path") !== null).length);
  await expect.poll(countCrossed).toBe(10);
  await expect(page.locator('[data-picture="resumed"]')).toContainText(/reward\s*0\.\d{3}/);
});

test("keys move the cursor, Enter picks, Escape zooms out", async ({ page }) => {
  await show(page, "resumed");
  const chart = page.getByRole("slider");
  await chart.focus();
  await page.keyboard.press("Home");
  await expect(chart).toHaveAttribute("aria-valuenow", "1");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await expect(chart).toHaveAttribute("aria-valuenow", "11");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-picked]")).toHaveText("11");
  await page.keyboard.press("End");
  await expect(chart).toHaveAttribute("aria-valuenow", "190");
});

test("a drag zooms, a double click shows all again and picks nothing", async ({ page }) => {
  await show(page, "parts");
  const chart = page.getByRole("slider");
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + 120, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 220, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await expect(page.locator("[data-window]")).toHaveText(/^\d+\.\d,\d+\.\d$/);
  await chart.dblclick({ position: { x: 150, y: 60 } });
  await expect(page.locator("[data-window]")).toHaveText("");
  await page.waitForTimeout(400);
  await expect(page.locator("[data-picked]")).toHaveText("");
});

test("smoothing and the log scale are switched on the chart and say so", async ({ page }) => {
  await show(page, "log");
  await page.getByRole("button", { name: "log" }).click();
  await expect(page.getByRole("button", { name: "log" })).toHaveAttribute("aria-pressed", "true");
  await expect(
    page
      .getByText("0.010")
      .or(page.getByText("0.1", { exact: true }))
      .first(),
  ).toBeVisible();
  await page.getByRole("button", { name: "smooth" }).click();
  await expect(page.getByRole("button", { name: "EMA 0.9" })).toHaveAttribute("title", /debiased/);
  await expect
    .poll(async () => (await readPaths(page)).filter((path) => /^(raw|value)/.test(path)))
    .toEqual(["raw 190", "value 190"]);
});

test("a series is hidden and shown by its legend", async ({ page }) => {
  await show(page, "parts");
  await page.getByRole("button", { name: /accuracy/ }).click();
  await expect(page.locator('path[data-role="value"]')).toHaveCount(2);
  await page.getByRole("button", { name: /accuracy/ }).click();
  await expect(page.locator('path[data-role="value"]')).toHaveCount(3);
});

test("the picture stays on screen while its width changes", async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(url);
  await expect(page.locator('[data-picture="parts"] path[data-role="value"]')).toHaveCount(3);
  const empty = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let frames = 0;
        let missing = 0;
        const look = () => {
          frames += 1;
          if (document.querySelectorAll('[data-picture="parts"] path[data-role="value"]').length !== 3)
            missing += 1;
          if (frames < 60) requestAnimationFrame(look);
          else resolve(missing);
        };
        requestAnimationFrame(look);
      }),
  );
  for (const width of [1300, 1200, 1000, 1100, 1250]) await page.setViewportSize({ width, height: 900 });
  expect(await empty).toBe(0);
});

test("dark and light draw the same paths in different colours", async ({ page }) => {
  const strokes = async (scheme: string) => {
    await show(page, "parts", scheme);
    const all = page.locator('path[data-role="value"]');
    await expect(all).toHaveCount(3);
    return all.evaluateAll((paths) => paths.map((path) => getComputedStyle(path).stroke));
  };
  const [light, dark] = [await strokes("light"), await strokes("dark")];
  expect(light).toHaveLength(3);
  for (const [k, stroke] of light.entries()) expect(dark[k]).not.toBe(stroke);
});
