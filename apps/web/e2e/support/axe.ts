import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** How long a page may take to come to rest: a dialog that still fades in has too little contrast. */
const REST_MS = 15_000;

/** Fails with what is wrong and where when the page has a serious or critical barrier that stays. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  let barriers = await findBarriers(page);
  // A look takes seconds on a busy machine: the time is for coming to rest, not for looking.
  for (const end = Date.now() + REST_MS; barriers.length > 0 && Date.now() < end; )
    barriers = await findBarriers(page);
  expect(barriers, `${what} has barriers`).toEqual([]);
}

async function findBarriers(page: Page): Promise<string[]> {
  // Only what is wrong is described, and no second page is opened to put frames together: no page of ours has any.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ["violations"] })
    .setLegacyMode()
    .analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map(({ html }) => html.slice(0, 200)).join("\n  ")}`,
    );
}
