import { HEADING_QUESTION } from "@sightline/core/ask";
import type { Clip } from "@sightline/core/clips";
import type { Evaluation } from "@sightline/core/evaluations";
import { type OpenAiServer, startOpenAiServer } from "../../server/src/testing/openai-server.ts";
import { expectAccessible } from "./support/axe.ts";
import { mutate, query, waitForKeyFrames } from "./support/clip.ts";
import { addClips, dropFiles, getCard, getClipPath } from "./support/library.ts";
import { look } from "./support/looks.ts";
import { adoptPolicy, test as testWithPolicy } from "./support/policy.ts";
import { expect, test } from "./support/server.ts";

let fake: OpenAiServer;
test.beforeAll(async () => {
  fake = await startOpenAiServer({
    models: ["reasons-3b"],
    reply: ({ text }) =>
      text.includes("Reasoning:") ? "A" : "<think>In Frame 0 it is ahead.</think><answer>A</answer>",
  });
});
test.afterAll(() => fake.close());

test("a question set is asked, its accuracy stands by task, and a row leads to its trace", async ({
  page,
}) => {
  await addClips(page, ["cfr-30.mp4"]);
  const [clip] = await query<Clip[]>(page, "clips.list");
  const clip_id = clip?.clip_id ?? "";
  await waitForKeyFrames(page, clip_id);
  for (const [text, gold, task] of [
    ["Where is the gate?", "A", "landmark_position"],
    ["Where is the kiosk?", "B", "landmark_position"],
    ["Which way next?", "A", "route_planning"],
  ] as const)
    await mutate(page, "questions.write", { clip_id, text, options: ["ahead", "behind"], gold, task });
  await mutate(page, "endpoints.put", {
    endpoint_id: null,
    name: "lab",
    base_url: fake.base_url,
    models: ["reasons-3b"],
    concurrency: 4,
  });

  await page.getByRole("link", { name: "Evaluate" }).click();
  await expect(page.getByText("No evaluation yet")).toBeVisible();
  await page.getByLabel("Name").fill("first look");
  await page.getByRole("button", { name: "Evaluate", exact: true }).click();
  await expect(page.getByRole("heading", { name: "first look" })).toBeVisible();
  const micro = page.getByTestId("micro");
  // Triples are made on the way.
  await expect(micro.getByRole("cell").nth(1)).toHaveText("3", { timeout: 90_000 });
  await expect(micro.getByRole("cell").nth(2)).toHaveText("0.667");
  await expect(micro.getByRole("cell").nth(3)).toHaveText("0.09–0.97");
  await expect(page.getByTestId("macro").getByRole("cell").nth(2)).toHaveText("0.750");
  // Format, and the letters: thrice A answered, A right twice.
  await expect(micro.getByRole("cell").nth(5)).toHaveText("1.000");
  await expect(page.getByTitle("A: answered 3 times, right 2 times")).toBeVisible();
  await expectAccessible(page, "an evaluation");

  const [first] = await query<Evaluation[]>(page, "evaluations.list");
  await mutate(page, "evaluations.start", {
    name: "second look",
    set_id: first?.set_id,
    side: null,
    reasoner: { ...first?.reasoner, max_tokens: 99 },
    judge: first?.judge,
  });
  const card = page.getByRole("region", { name: "Settings card" });
  await card.getByLabel("Compare with").click();
  await page.getByRole("option", { name: "second look" }).click();
  await expect(card.getByRole("status")).toContainText(/Max completion tokens: \d+ here, 99 there/);
  await expect(card.getByRole("status")).toContainText("Over the 3 questions that both asked", {
    timeout: 60_000,
  });
  await expect(page).toHaveURL(/with=/);
  await expectAccessible(page, "two evaluations held against each other");

  await page.getByText("Wrong 1").click();
  await expect(page.getByTestId("evaluation-row")).toHaveCount(1);
  await expect(page).toHaveURL(/rows=wrong/);
  await page.getByTestId("evaluation-row").getByRole("link").click();
  await expect(page.getByTestId("verdict")).toContainText("answered A · right answer B");
});

test("what the endpoint failed at is asked again by a press, and what it answered is not", async ({
  page,
}) => {
  await addClips(page, ["cfr-30.mp4"]);
  const [clip] = await query<Clip[]>(page, "clips.list");
  const clip_id = clip?.clip_id ?? "";
  await waitForKeyFrames(page, clip_id);
  for (const text of ["Where is the gate?", "Where is the kiosk?", "Where is the tree?"])
    await mutate(page, "questions.write", {
      clip_id,
      text,
      options: ["ahead", "behind"],
      gold: "A",
      task: "landmark_position",
    });
  await mutate(page, "endpoints.put", {
    endpoint_id: null,
    name: "lab",
    base_url: fake.base_url,
    models: ["reasons-3b"],
    concurrency: 1,
  });
  fake.queue({ kind: "answer" });
  fake.always({ kind: "status", status: 401, message: "no" });
  await page.getByRole("link", { name: "Evaluate" }).click();
  await page.getByLabel("Name").fill("half way");
  await page.getByRole("combobox", { name: "Judge" }).click();
  await page.getByRole("option", { name: "No judge" }).click();
  await page.getByRole("button", { name: "Evaluate", exact: true }).click();
  const again = page.getByRole("button", { name: "Ask again 2 questions that failed" });
  await expect(again).toBeVisible({ timeout: 90_000 });
  fake.always({ kind: "answer" });
  await again.click();
  await expect(page.getByTestId("micro").getByRole("cell").nth(2)).toHaveText("1.000");
  await expect(page.getByTestId("evaluation-row").filter({ hasText: "✓" })).toHaveCount(3);
  await expect(again).toHaveCount(0);
});

test("outputs of others' models are read by both rule sets, and only read", async ({ page }) => {
  await page.goto("/evaluate");
  const question = "Question: Where is it?\nChoices:\nA. left\nB. right";
  const rows = [
    { id: 1, question, answer: "B", content: "<think>so the answer is A.</think><answer>B</answer>" },
    { id: 2, question, answer: "B", content: "<think>x" },
  ];
  await page.locator("input[type=file]").setInputFiles({
    name: "theirs.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")),
  });
  const dialog = page.getByRole("dialog", { name: /made elsewhere/ });
  await expect(dialog.getByTestId("outputs-summary")).toContainText(
    "2 outputs, 2 with a right answer to hold them to. Right by our reading: 1; as the released code reads: 0.",
  );
  await dialog.getByTestId("output").first().getByRole("button").click();
  await expect(dialog.getByText("so the answer is A.")).toBeVisible();
  await expect(dialog.getByTestId("output").nth(1)).toContainText("think tag not closed");
});

testWithPolicy(
  "a policy works through a set in this browser, and says what it can't read",
  async ({ page, server, policy }) => {
    testWithPolicy.setTimeout(300_000);
    await page.goto("/library");
    await adoptPolicy(page, server, policy);
    await page.goto("/library");
    await expect(page.getByRole("button", { name: "Add clips" })).toBeVisible();
    await dropFiles(page, [getClipPath("../worlds/room-turns-4.mp4")]);
    await expect(getCard(page, "room-turns-4.mp4")).toBeVisible();
    await expect(getCard(page, "room-turns-4.mp4")).not.toContainText("Reading");
    const [clip] = await query<Clip[]>(page, "clips.list");
    const clip_id = clip?.clip_id ?? "";
    await waitForKeyFrames(page, clip_id);
    const { text, options, task } = HEADING_QUESTION;
    // Twice right, once left.
    await mutate(page, "questions.write", { clip_id, text, options, task, gold: "B" });
    await mutate(page, "questions.write", {
      clip_id,
      text: "What colour is the door?",
      options: ["red", "green"],
      gold: "A",
      task: "colour",
    });
    await page.goto("/evaluate");
    await page.getByRole("button", { name: "Evaluate", exact: true }).click();
    const micro = page.getByTestId("micro");
    await expect(micro.getByRole("cell").nth(1)).toHaveText("1", { timeout: 120_000 });
    await expect(micro.getByRole("cell").nth(2)).toHaveText("1.000");
    await page.getByText("Not counted 1").click();
    await expect(page.getByTestId("evaluation-row")).toContainText("This policy knows");
    await expect(page.getByRole("progressbar", { name: "Questions asked" })).toBeHidden();
  },
);

testWithPolicy(
  "a checkpoint is asked a set on its host, what can't be asked is set aside, and a browser's card is the same",
  async ({ page, server, policy }) => {
    testWithPolicy.setTimeout(900_000);
    await page.goto("/library");
    const { card } = await adoptPolicy(page, server, policy);
    await page.goto("/library");
    await expect(page.getByRole("button", { name: "Add clips" })).toBeVisible();
    await dropFiles(page, [getClipPath("../worlds/room-turns-4.mp4")]);
    await expect(getCard(page, "room-turns-4.mp4")).toBeVisible();
    await expect(getCard(page, "room-turns-4.mp4")).not.toContainText("Reading");
    const [clip] = await query<Clip[]>(page, "clips.list");
    const clip_id = clip?.clip_id ?? "";
    await waitForKeyFrames(page, clip_id);
    const { text, options, task } = HEADING_QUESTION;
    await mutate(page, "questions.write", { clip_id, text, options, task, gold: "B" });

    await page.goto("/evaluate");
    const form = page.getByRole("form", { name: "Start an evaluation" });
    await form.getByRole("combobox", { name: "Model", exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(form.getByRole("combobox", { name: "Model", exact: true })).toHaveValue(
      "Checkpoint of a run",
    );
    await expect(form.getByRole("combobox", { name: "Run" })).toHaveValue("tiny · for tests");
    await expect(form.getByRole("combobox", { name: "Checkpoint" })).toHaveValue(`step ${card?.step}`);
    await expect(form.getByRole("status")).toHaveText(
      "No question can be asked; set aside: 1 without triples of their clip. Triples are made on a clip's page, or for many at once in the library.",
    );
    await page.getByRole("button", { name: "Evaluate", exact: true }).click();
    await expect(form.getByRole("alert")).toHaveText(
      "No question of this set can be asked: 1 without triples of their clip.",
    );

    // A policy in this browser has them made, and answers the same question.
    const micro = page.getByTestId("micro");
    await form.getByRole("combobox", { name: "Model", exact: true }).click();
    await page.getByRole("option", { name: "Endpoint or browser" }).click();
    await expect(form.getByRole("alert")).toBeHidden();
    await page.getByLabel("Name").fill("in the browser");
    await page.getByRole("button", { name: "Evaluate", exact: true }).click();
    await expect(micro.getByRole("cell").nth(2)).toHaveText("1.000", { timeout: 120_000 });

    await form.getByRole("combobox", { name: "Model", exact: true }).click();
    await page.getByRole("option", { name: "Checkpoint of a run" }).click();
    await expect(form.getByRole("status")).toHaveText("1 question will be asked.");
    await expectAccessible(page, "the form for a checkpoint");
    await look(page, "evaluate-checkpoint-form");
    await page.getByLabel("Name").fill("on its host");
    await page.getByLabel("Name").press("Enter");
    await expect(page.getByRole("heading", { name: "on its host" })).toBeVisible();
    await expect(page.getByText("1 still to be asked")).toBeVisible();
    await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
    // Its progress comes by itself.
    await expect(micro.getByRole("cell").nth(1)).toHaveText("1", { timeout: 420_000 });
    await expect(micro.getByRole("cell").nth(2)).toHaveText("1.000");
    await expect(page.getByRole("button", { name: "Cancel" })).toBeHidden({ timeout: 60_000 });
    await expect(page.getByTestId("evaluation-row")).toContainText(text);
    await page.getByRole("combobox", { name: "Compare with" }).click();
    await page.getByRole("option", { name: "in the browser" }).click();
    const settings = page.getByRole("region", { name: "Settings card" });
    await expect(settings.getByRole("status")).toContainText("Both were asked under the same card.");
    await expectAccessible(page, "an evaluation on a host");
    await look(page, "evaluate-checkpoint");

    await form.getByRole("combobox", { name: "Model", exact: true }).click();
    await page.getByRole("option", { name: "Model on a host" }).click();
    await form.getByLabel("Model on it").fill("nobody/nothing");
    await expect(form.getByRole("status")).toHaveText("1 question will be asked.");
    await page.getByLabel("Name").fill("not fetched");
    await page.getByRole("button", { name: "Evaluate", exact: true }).click();
    await expect(page.getByRole("heading", { name: "not fetched" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Evaluation" }).getByRole("alert")).toContainText(
      "hf download nobody/nothing",
      { timeout: 120_000 },
    );
  },
);
