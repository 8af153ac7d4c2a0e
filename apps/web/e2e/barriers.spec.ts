import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { ask } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test.describe.configure({ timeout: 600_000 });

/** Every page that needs no id in its address. */
const PAGES = [
  "/library",
  "/batches",
  "/questions",
  "/runs",
  "/runs/launch",
  "/runs/queue",
  "/alerts",
  "/evaluate",
  "/hosts",
  "/hosts/attach",
  "/settings",
  "/nowhere",
];

/** Looks at each page for serious barriers and says all that it found. */
async function expectNoBarriers(page: Page, paths: readonly string[]): Promise<void> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole("navigation", { name: "Places" }).waitFor();
    // What the page asks for has come, or has said why not.
    await page.waitForLoadState("load");
    await expect(page.locator("main")).not.toBeEmpty();
    await page.waitForTimeout(700);
    await expectAccessible(page, path).catch((error: Error) => found.push(error.message));
  }
  expect(found).toEqual([]);
}

for (const scheme of ["light", "dark"] as const)
  test(`no page of an empty project has a barrier, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await expectNoBarriers(page, PAGES);
  });

test.describe("with the sample project", () => {
  test.use({ samples: true });

  for (const scheme of ["light", "dark"] as const)
    test(`no page has a barrier, ${scheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await page.goto("/runs/tiny-recorded");
      await expect(page.locator("[data-steps='192']")).toBeVisible({ timeout: 60_000 });
      const [clip] = await ask<{ clip_id: string }[]>(page, "clips.list", { trash: false });
      const [set] = await ask<{ set_id: string }[]>(page, "questions.sets", {});
      const [group] = await ask<{ group_id: string }[]>(page, "runs.completions", {
        run_id: "tiny-recorded",
        step: 100,
      });
      if (!clip || !group) throw new Error("the sample project lacks a clip or the recorded run's groups");
      const run = "/runs/tiny-recorded";
      await expectNoBarriers(page, [
        ...PAGES,
        `/clips/${clip.clip_id}`,
        `/clips/${clip.clip_id}?tab=triples`,
        `/clips/${clip.clip_id}?tab=ask`,
        `/clips/${clip.clip_id}/compare-settings`,
        ...(set ? [`/questions/${set.set_id}`] : []),
        run,
        `${run}?tab=groups&step=100&group=${encodeURIComponent(group.group_id)}`,
        ...["find", "links", "log", "attempts", "checkpoints", "problems", "settings"].map(
          (tab) => `${run}?tab=${tab}`,
        ),
        `${run}/groups/1/100/${encodeURIComponent(group.group_id)}`,
        `${run}/replay`,
        `${run}/figures`,
        "/hosts/local",
      ]);
    });
});
