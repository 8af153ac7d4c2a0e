import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import type { MetricWindow, RunDetail } from "@sightline/core/runs";

/** What a test changes of the first preset. */
export type Recipe = {
  name?: string;
  /** By the labels of the launch page. */
  numbers?: Record<string, number>;
  /** In the simulator's own notation. */
  faults?: { label: string; step: number; isEach?: boolean }[];
};

/** Fills the launch page as a person would. */
export async function fillLaunchPage(page: Page, { name, numbers = {}, faults = [] }: Recipe): Promise<void> {
  await page.goto("/runs/launch?preset=simulated-three-stages");
  const form = page.getByRole("form", { name: "Launch a run" });
  await form.waitFor();
  if (name !== undefined) await form.getByLabel("Name", { exact: true }).fill(name);
  const main = Object.keys(numbers).filter((label) => !MORE.has(label));
  for (const label of main) await form.getByLabel(label, { exact: true }).fill(String(numbers[label]));
  const more = Object.keys(numbers).filter((label) => MORE.has(label));
  if (more.length > 0 || faults.length > 0)
    await form.getByRole("button", { name: "More, and faults on demand" }).click();
  for (const label of more) await form.getByLabel(label, { exact: true }).fill(String(numbers[label]));
  for (const { label, step, isEach } of faults) {
    // The choices belong to a part that is still unfolding.
    await expect(async () => {
      await form.getByRole("combobox", { name: "Fault" }).fill(label);
      await page.getByRole("option", { name: label, exact: true }).click({ timeout: 2000 });
    }).toPass();
    await form.getByLabel("At step", { exact: true }).fill(String(step));
    await form.getByLabel("after a resume, too").setChecked(isEach ?? false);
    await form.getByRole("button", { name: "Add" }).click();
  }
}

const MORE = new Set(["Learning speed", "Stop after", "Judge one group in", "Evaluation questions"]);

/** Launches a run from the page and returns its id. */
export async function launch(page: Page, recipe: Recipe): Promise<string> {
  await fillLaunchPage(page, recipe);
  await page.getByRole("button", { name: "Launch the simulation" }).click();
  return openedRun(page);
}

/** The id of the run that the page shows. */
export async function openedRun(page: Page): Promise<string> {
  await page.waitForURL(/\/runs\/(?!launch)[^/?]+/);
  await page.locator("[data-run-state]").waitFor();
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** Asks the server as the page would. */
export async function ask<T>(page: Page, procedure: string, input: unknown): Promise<T> {
  return page.evaluate(
    async ([name, text]) => {
      const response = await fetch(`/trpc/${name}?input=${encodeURIComponent(text ?? "")}`);
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer.error));
      return answer.result.data;
    },
    [procedure, JSON.stringify(input)],
  );
}

export function getRun(page: Page, run_id: string): Promise<RunDetail> {
  return ask(page, "runs.get", { run_id });
}

/** The step that the page has drawn. */
export async function readStep(page: Page): Promise<number> {
  return Number(await page.locator("[data-steps]").getAttribute("data-steps"));
}

export async function waitForStep(page: Page, step: number): Promise<void> {
  await expect.poll(() => readStep(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(step);
}

export async function waitForState(page: Page, state: string): Promise<void> {
  await expect(page.locator("[data-run-state]")).toHaveAttribute("data-run-state", state, {
    timeout: 120_000,
  });
}

/**
 * Every step from 1 to `last` is there once: in what the server has, and as a point of the curve that the page drew.
 *
 * @param replaced  Points of rolled-back steps, which are drawn behind and are not counted.
 */
export async function expectWhole(page: Page, run_id: string, last: number): Promise<void> {
  const readSteps = async () => {
    const { series } = await ask<MetricWindow>(page, "runs.window", {
      run_id,
      name: "reward",
      from_step: 0,
      to_step: last + 10,
      points: 4000,
    });
    return series
      .filter(({ rolled_back }) => !rolled_back)
      .flatMap(({ buckets }) =>
        buckets.index.map((index, k) => ({ step: index * buckets.width, n: buckets.n[k] })),
      )
      .sort((a, b) => a.step - b.step);
  };
  // What a run wrote last may be read after its end was.
  await expect
    .poll(readSteps, { timeout: 40_000 })
    .toEqual(Array.from({ length: last }, (_, k) => ({ step: k + 1, n: 1 })));
  await page.getByText("off", { exact: true }).click();
  const curve = page.getByRole("region", { name: "Entropy" });
  await expect(curve).toHaveAttribute("data-points", String(last));
  await expect(async () => {
    const path = await curve.locator('path[data-role="value"]').getAttribute("d");
    const places = (path ?? "")
      .slice(1)
      .split("L")
      .map((point) => Number(point.split(" ")[0]));
    expect(places).toHaveLength(last);
    for (const [k, place] of places.slice(1).entries()) expect(place).toBeGreaterThan(places[k] ?? 0);
  }).toPass({ timeout: 40_000 });
}

/** Process ids of a run's attempts, by role. */
export function readProcesses(dataDir: string, run_id: string): { trainer: number; supervisor: number }[] {
  const attempts = join(dataDir, "runs", run_id, "attempts");
  return readdirSync(attempts)
    .sort()
    .map((attempt) => {
      const id = JSON.parse(readFileSync(join(attempts, attempt, "id.json"), "utf8"));
      return { trainer: id.pid, supervisor: id.supervisor.pid };
    });
}

/** Fills the launch page with the preset `tiny`, cut short by some numbers. */
export async function fillTiny(page: Page, name: string, numbers: Record<string, number>): Promise<void> {
  await page.goto("/runs/launch?preset=tiny");
  const form = page.getByRole("form", { name: "Launch a run" });
  await form.getByLabel("Name", { exact: true }).fill(name);
  await form.getByRole("button", { name: "More" }).click();
  for (const [label, number] of Object.entries(numbers))
    await form.getByLabel(label, { exact: true }).fill(String(number));
}
