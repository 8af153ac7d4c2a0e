import { expectAccessible } from "./support/axe.ts";
import { fillTiny } from "./support/runs.ts";
import { expect, test } from "./support/server.ts";

test("variants of the judge are chosen together, and what preflight finds is mended by a press", async ({
  page,
}) => {
  await fillTiny(page, "judged", {});
  const form = page.getByRole("form", { name: "Launch a run" });
  const preflight = page.getByRole("region", { name: "Preflight" });
  const launch = page.getByRole("button", { name: "Launch", exact: true });
  await expect(preflight).toContainText("tiny, 0.6 M parameters: small enough for a CPU.", {
    timeout: 60_000,
  });

  await form.getByRole("combobox", { name: "Judge variants" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: /^letter-stripped/ }).click();
  await page.keyboard.press("Escape");
  const command = page.getByRole("region", { name: "Command" });
  await expect(command).toContainText('"judge_variants": "paper, letter_stripped"');

  await form.getByLabel("Judge's address").fill("http://127.0.0.1:9/v1");
  await expect(preflight).toContainText("settings.judge_model must name the model");
  await expect(launch).toBeDisabled();
  await form.getByLabel("Judge's model").fill("judge-3b");
  await expect(preflight).toContainText("The judge at http://127.0.0.1:9/v1 can't be reached");
  await expectAccessible(page, "a launch that preflight holds back");
  await preflight.getByRole("button", { name: "Leave judge_url empty" }).click();
  await expect(form.getByLabel("Judge's address")).toHaveValue("");
  await expect(preflight).not.toContainText("can't be reached");
  await expect(launch).toBeEnabled();
});
