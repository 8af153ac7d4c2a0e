import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clip } from "@sightline/core/clips";
import type { RunDetail } from "@sightline/core/runs";
import { expectAccessible } from "./support/axe.ts";
import { mutate, query, waitForKeyFrames } from "./support/clip.ts";
import { addClips } from "./support/library.ts";
import { look } from "./support/looks.ts";
import { expect, test } from "./support/server.ts";

test("a checkpoint that sees is asked with its clip's key-frames, cancelled at once, and goes on", async ({
  page,
  server,
}) => {
  test.setTimeout(900_000);
  await addClips(page, ["cfr-30.mp4"]);
  const [clip] = await query<Clip[]>(page, "clips.list");
  const clip_id = clip?.clip_id ?? "";
  await waitForKeyFrames(page, clip_id);
  const options = ["ahead", "behind"];
  const task = "landmark_position";
  await mutate(page, "questions.write", { clip_id, text: "Where is the gate?", options, gold: "A", task });
  await mutate(page, "questions.write", {
    clip_id,
    text: "Where is the sea?",
    options,
    gold: null,
    task,
  });

  const picture = await page.request.get(`/media/clips/${clip_id}/frames/0.jpg?width=64`);
  const file = join(server.dataDir, "seen.jpg");
  writeFileSync(file, await picture.body());
  const lines = Array.from({ length: 10 }, (_, at) =>
    JSON.stringify({
      question_id: `q${at}`,
      question: "Where is the gate?",
      options,
      gold: "A",
      task,
      frames: [file],
    }),
  );
  const { question_file } = await mutate<{ question_file: string }>(page, "training.checkFile", {
    base64: Buffer.from(lines.join("\n")).toString("base64"),
  });
  const { run_id } = await mutate<{ run_id: string }>(page, "runs.launch", {
    launch_key: randomUUID(),
    host_id: "local",
    name: "sees",
    engine: "grpo",
    preset: "vlm-frames",
    seed: 1,
    stages: [
      {
        name: "pictures",
        weights: { format: 1, accuracy: 7, consistency: 2 },
        from_epoch: 0,
        to_epoch: 1,
        steps: 1,
      },
    ],
    settings: {
      model: "tiny-vlm",
      vlm_frames: 2,
      question_file,
      group_size: 2,
      prompts_per_step: 2,
      micro_batch: 4,
      save_steps: 1,
      eval_steps: 0,
      max_completion_tokens: 12,
    },
  });
  await expect
    .poll(async () => (await query<RunDetail>(page, "runs.get", { run_id })).run.state, { timeout: 300_000 })
    .toBe("done");

  await page.goto("/evaluate");
  const form = page.getByRole("form", { name: "Start an evaluation" });
  await form.getByRole("combobox", { name: "Model", exact: true }).click();
  await page.getByRole("option", { name: "Checkpoint of a run" }).click();
  await expect(form.getByRole("status")).toHaveText(
    "1 question will be asked; set aside: 1 without a right answer.",
  );
  await page.getByLabel("Name").fill("with its frames");
  await page.getByRole("button", { name: "Evaluate", exact: true }).click();
  await expect(page.getByRole("heading", { name: "with its frames" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  const region = page.getByRole("region", { name: "Evaluation" });
  await expect(region.getByText(/It ends in a moment|· cancelled/)).toBeVisible();
  await expectAccessible(page, "an evaluation that is being cancelled");
  await look(page, "evaluate-cancelling");
  await page.getByRole("button", { name: "Go on with the rest" }).click({ timeout: 120_000 });
  await expect(page.getByTestId("micro").getByRole("cell").nth(1)).toHaveText("1", { timeout: 300_000 });
  const card = page.getByRole("region", { name: "Settings card" });
  await expect(card).toContainText("at most 2 key-frames of each clip, as pictures of at most 768 pixels");
  await expect(card).toContainText("Vlm frames");
  await look(page, "evaluate-frames");

  await form.getByRole("combobox", { name: "Model", exact: true }).click();
  await page.getByRole("option", { name: "Model on a host" }).click();
  await form.getByRole("button", { name: "More" }).click();
  await expect(form.getByLabel("Longest answer")).toHaveValue("4096");
  await form.getByLabel("Longest answer").fill("256");
  await form.getByLabel("Model on it").fill("nobody/nothing");
  await expectAccessible(page, "the form for a model on a host");
  await look(page, "evaluate-hub-form");
});
