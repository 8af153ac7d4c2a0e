import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CompletionGroup } from "@sightline/core/runs";
import { expectAccessible } from "./support/axe.ts";
import { look } from "./support/looks.ts";
import { ask, expectWhole, fillTiny, openedRun } from "./support/runs.ts";
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

test("own rewards that break their contract are named by their line before anything starts", async ({
  page,
}) => {
  await fillTiny(page, "brief", {});
  const preflight = page.getByRole("region", { name: "Preflight" });
  const launch = page.getByRole("button", { name: "Launch", exact: true });
  const choose = (text: string) =>
    page
      .getByRole("region", { name: "Own rewards" })
      .locator("input[type=file]")
      .setInputFiles({ name: "mine.py", mimeType: "text/x-python", buffer: Buffer.from(text) });
  await choose("def brevity(completion):\n    return len(completion['think'])\n");
  await expect(preflight).toContainText(
    /rewards\.py, line 1: brevity returned \d+; it must return a number/,
    {
      timeout: 60_000,
    },
  );
  await expect(launch).toBeDisabled();
  await expectAccessible(page, "a launch whose rewards are refused");
  await look(page, "launch-rewards-refused");
  await choose("def brevity(completion):\n    return 1 / (1 + len(completion['think']))\n");
  await expect(preflight).toContainText("Your own rewards were tried on made-up answers: brevity.", {
    timeout: 60_000,
  });
  await expect(launch).toBeEnabled();
});

/** Three stages of two steps, just long enough that some reasoning is right and judged. */
const SHORT = {
  "To train on": 16,
  "Held out": 8,
  "Warm start": 48,
  "Warm-start steps": 60,
  "Group size": 4,
  "Micro-batch": 32,
  "Longest completion": 24,
  "Checkpoint every": 2,
  "Evaluate every": 0,
};
const LAST = 6;

/** An OpenAI-compatible judge on loopback, which finds that every reasoning leads to A. */
async function startJudge() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      if (request.method === "POST") asked.push(JSON.parse(body).messages[0].content);
      const answer =
        request.method === "POST"
          ? { choices: [{ message: { content: "A" } }] }
          : { data: [{ id: "judge-3b" }] };
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

test("a run from the form asks a judge behind an address in all variants, and shows each verdict", async ({
  page,
}) => {
  // A real policy is warm-started and trained, on a machine that may be busy with others.
  test.setTimeout(900_000);
  await using judge = await startJudge();
  await fillTiny(page, "judged", SHORT);
  const form = page.getByRole("form", { name: "Launch a run" });
  const preflight = page.getByRole("region", { name: "Preflight" });
  await form.getByRole("combobox", { name: "Judge variants" }).focus();
  for (const name of [/^unconditional/, /^letter-stripped/]) {
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name }).click();
  }
  await page.keyboard.press("Escape");
  await form.getByLabel("Judge's address").fill(judge.url);
  await form.getByLabel("Judge's model").fill("judge-3b");
  await expect(preflight).toContainText(`The judge at ${judge.url} answers.`, { timeout: 60_000 });
  await page.getByRole("button", { name: "Launch", exact: true }).click();
  const run_id = await openedRun(page);
  await expect
    .poll(() => page.locator("[data-run-state]").getAttribute("data-run-state"), { timeout: 400_000 })
    .toBe("done");
  await expectWhole(page, run_id, LAST);
  expect(judge.asked.length).toBeGreaterThan(0);

  const groups = await ask<CompletionGroup[]>(page, "runs.completions", { run_id, step: LAST });
  const trained = groups.filter(({ completions }) => completions[0]?.split !== "eval");
  const rows = trained.flatMap(({ completions }) => completions);
  for (const { judges } of rows)
    expect(judges.map(({ variant }) => variant)).toEqual(["paper", "unconditional", "letter_stripped"]);
  expect(rows.flatMap(({ judges }) => judges).filter(({ status }) => status === "ok").length).toBeGreaterThan(
    0,
  );
  const told = trained.findIndex(({ completions }) =>
    completions.some(({ judges }) => judges[1]?.status === "ok"),
  );
  await page.goto(`/runs/${run_id}?tab=groups&step=${LAST}`);
  await page.locator("#run-drawer").getByRole("button", { name: /gold/ }).nth(told).click();
  const traces = page.getByRole("article");
  await expect(traces).toHaveCount(4);
  const trace = traces.filter({ hasText: /unconditional/ }).first();
  await expect(trace).toContainText(/unconditional judge A · (agrees|disagrees)/);
  await expectAccessible(page, "a group whose completions were judged in three variants");
  await look(page, "group-three-judges");
});
