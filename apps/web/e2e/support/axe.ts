import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** How long a page may take to come to rest: a dialog that still fades in has too little contrast. */
const REST_MS = 15_000;

/** Fails with what is wrong and where when the page has a serious or critical barrier that stays. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expect
    .poll(() => findBarriers(page), { message: `${what} has barriers`, timeout: REST_MS })
    .toEqual([]);
}

async function findBarriers(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map(({ html }) => html.slice(0, 200)).join("\n  ")}`,
    );
}
