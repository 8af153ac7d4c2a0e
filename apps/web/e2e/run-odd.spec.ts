import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { completionLine } from "@sightline/core/testing";
import type { LineOf } from "@sightline/core/wire";
import { expect, type RunningServer, test } from "./support/server.ts";

const RUN = "odd-lines";
const WEIGHTS = { format: 7, accuracy: 3, consistency: 0 };

/** Lays a finished run with these completions beside the others, where the next start of the server finds it. */
function layOut({ dataDir }: RunningServer, name: string, lines: readonly LineOf<"completion">[]): void {
  const run = join(dataDir, "runs", RUN);
  const attempt = join(run, "attempts/001");
  mkdirSync(attempt, { recursive: true });
  const write = (path: string, value: unknown) => writeFileSync(join(run, path), JSON.stringify(value));
  const stages = [{ name: "only", from_epoch: 0, to_epoch: 1, weights: WEIGHTS }];
  write("spec.json", {
    engine: "grpo",
    name,
    preset: "tiny",
    run_id: RUN,
    seed: 1,
    settings: { group_size: 8 },
    stages,
    recorded: true,
  });
  write("attempts/001/id.json", {
    pid: 1,
    start_ticks: 1,
    supervisor: { pid: 1, start_ticks: 1 },
    boot_id: "x",
  });
  write("attempts/001/exit.json", {
    code: 0,
    signal: null,
    class: "done",
    reason: "done",
    asked: null,
    time_secs: 9,
  });
  writeFileSync(join(attempt, "events.jsonl"), "");
  writeFileSync(
    join(attempt, "completions-00001.jsonl"),
    lines
      .map((line, at) => `${JSON.stringify({ ...line, run_id: RUN, attempt: 1, seq: at + 1 })}\n`)
      .join(""),
  );
}

const raw = (value: number | null, weight: number) => ({
  raw: value,
  weight,
  null_reason: value === null ? "no reward was given" : null,
});
const group = (question: string, size: number, change: (k: number) => Partial<LineOf<"completion">>) =>
  Array.from({ length: size }, (_, k) =>
    completionLine(
      {},
      {
        step: 1,
        gen: 1,
        group_id: `g-${question}`,
        question_id: question,
        group_size: size,
        k,
        ...change(k),
      },
    ),
  );

test("lines as no trainer of ours writes them: a group whose numbers are all off, one that nothing scored, text that would run", async ({
  page,
  server,
}) => {
  layOut(server, "odd \u202eeman", [
    ...group("off", 64, (k) => ({
      rewards: { format: raw(1, 0.7), accuracy: raw(k % 2, 0.3), consistency: raw(0, 0) },
      reward: k % 2 ? 1 : 0.7,
      advantage: k + 9,
    })),
    ...group("bare", 8, () => ({
      text: "<think>so</think><answer>A</answer>",
      gold: "A",
      parse: { think: [7, 9], answer: [25, 26], letter: "A", rule: "lone_letter" },
      rewards: { format: raw(null, 0.7), accuracy: raw(null, 0.3), consistency: raw(null, 0) },
      reward: 0,
      advantage: 0,
    })),
    ...group("loud", 2, () => ({
      text: "<think>a < b & <img src=x onerror=\"document.title='ran'\"> \u001b[31mred \u202eback</think><answer>B</answer>",
    })),
  ]);
  await server.restart();

  const account = page.getByRole("region", { name: "How the advantages came about" });
  await page.goto(`/runs/${RUN}/groups/1/1/g-off`);
  // The server answers before it has read what it found in its folder: the page waits for it by itself.
  await expect(account.getByRole("alert")).toHaveCount(3, { timeout: 60_000 });
  await expect(account).toContainText("61 more completions of this group differ as well");
  await expect(page.getByRole("article").first()).toBeInViewport();
  // What turns a name round turns nothing that stands beside it.
  await expect(page.getByRole("link", { name: /, step 1$/ }).locator("bdi")).toHaveText("odd \u202eeman");

  await page.goto(`/runs/${RUN}/groups/1/1/g-bare?k=0`);
  const reading = page.getByRole("region", { name: "How it was read" });
  await expect(reading.getByRole("row", { name: /As the run read it/ })).toContainText("–");
  await expect(reading).not.toContainText("don't agree");

  await page.goto(`/runs/${RUN}/groups/1/1/g-loud`);
  const column = page.getByRole("article").first();
  await expect(column).toContainText("a < b & <img src=x onerror=");
  await expect(column.locator("img")).toHaveCount(0);
  await expect(page).not.toHaveTitle("ran");
});

test.describe("while the server still reads its data folder", () => {
  test.use({
    // A machine that is slow to start what reads the folder of the runs: it waits until the gate is there.
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its first parameter
    environment: async ({}, use) => {
      const bin = mkdtempSync(join(tmpdir(), "sightline-slow-"));
      writeFileSync(
        join(bin, "python3"),
        `#!/bin/sh
case "$*" in *slctl*) while [ ! -e "$SLCTL_GATE" ]; do sleep 0.1; done ;; esac
PATH=\${PATH#*:} exec python3 "$@"
`,
        { mode: 0o755 },
      );
      await use({ PATH: `${bin}:${process.env.PATH}`, SLCTL_GATE: join(bin, "open") });
      rmSync(bin, { recursive: true, force: true });
    },
  });

  test("the pages of a run say so, and show it by themselves", async ({ page, server, environment }) => {
    layOut(
      server,
      "late",
      group("late", 8, () => ({})),
    );
    await server.restart();
    const waits = page.getByText("The server has just started and still looks for runs");
    for (const address of ["/replay", "/figures", "/groups/1/1/g-late", ""]) {
      await page.goto(`/runs/${RUN}${address}`);
      await expect(waits).toBeVisible();
    }
    writeFileSync(environment.SLCTL_GATE ?? "", "");
    await expect(page.getByRole("heading", { name: "late" })).toBeVisible({ timeout: 60_000 });
    await page.goto("/runs/nobody");
    await expect(page.getByText("There is no run nobody.")).toBeVisible();
  });
});
