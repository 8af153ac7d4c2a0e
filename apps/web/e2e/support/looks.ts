import type { Page } from "@playwright/test";

const LOOKS = process.env.SIGHTLINE_LOOKS;

/** Takes pictures for a person to look at, light and dark and at two sizes, where one asked for them. */
export async function look(page: Page, name: string): Promise<void> {
  if (LOOKS === undefined) return;
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${LOOKS}/${name}-${scheme}-${width}.png` });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}
