import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Fails with what is wrong and where when the page has a serious or critical barrier. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const barriers = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map(({ html }) => html.slice(0, 200)).join("\n  ")}`,
    );
  expect(barriers, `${what} has barriers`).toEqual([]);
}
