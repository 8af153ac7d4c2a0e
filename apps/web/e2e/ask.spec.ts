import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "@playwright/test";
import type { Clip } from "@sightline/core/clips";
import type { Trace } from "@sightline/core/traces";
import { type OpenAiServer, startOpenAiServer } from "../../server/src/testing/openai-server.ts";
import { expectAccessible } from "./support/axe.ts";
import { mutate, query, waitForKeyFrames } from "./support/clip.ts";
import { startHub } from "./support/hub.ts";
import { dropFiles, getCard, getClipPath } from "./support/library.ts";
import { adoptPolicy, layOutModel, test } from "./support/policy.ts";
import { expect } from "./support/server.ts";

/** Rendered: forward, a quarter left, forward, a quarter left, forward. From north it ends facing south. */
const CLIP = getClipPath("../worlds/street-round-the-corner-3.mp4");

/** Drops the rendered clip into the library and opens its pane Ask with triples of its own pixels. */
async function openAsk(page: Page): Promise<Clip> {
  await page.goto("/library");
  await expect(page.getByRole("button", { name: "Add clips" })).toBeVisible();
  await dropFiles(page, [CLIP]);
  await expect(getCard(page, basename(CLIP))).toBeVisible();
  await expect(getCard(page, basename(CLIP))).not.toContainText("Reading");
  const [clip] = await query<Clip[]>(page, "clips.list");
  if (clip === undefined) throw new Error("the clip was not added");
  const { clip_id } = clip;
  await waitForKeyFrames(page, clip_id);
  await page.goto(`/clips/${clip_id}?tab=ask`);
  await page.getByRole("button", { name: "Make them from the pictures" }).click();
  await expect(page.getByTestId("told").first()).toBeVisible({ timeout: 120_000 });
  await expect(page.getByRole("progressbar", { name: "Making triples" })).toBeHidden({ timeout: 120_000 });
  return clip;
}

async function writeQuestion(page: Page, text: string, options: string[], right: string): Promise<void> {
  await page.getByRole("button", { name: "Write a question" }).click();
  await page.getByRole("textbox", { name: "Question", exact: true }).fill(text);
  for (const [index, option] of options.entries())
    await page.getByRole("textbox", { name: `Option ${"ABCD".charAt(index)}` }).fill(option);
  await page.getByRole("radio", { name: `${right} is right` }).check();
  await page.getByRole("button", { name: "Write it down" }).click();
  await expect(page.getByTestId("question")).toContainText(text);
}

const getTrace = (page: Page) => page.getByTestId("trace");
const getVerdict = (page: Page) => page.getByTestId("verdict");

test.describe("a model behind an endpoint", () => {
  let fake: OpenAiServer;
  test.beforeAll(async () => {
    fake = await startOpenAiServer({
      models: ["reasons-3b"],
      piece_ms: 25,
      reply({ text }) {
        if (text.includes("Reasoning:")) return "B";
        return text.includes("Frame 1:")
          ? {
              reasoning: "The start is Frame 0. In Frame 1 the kiosk leaves, so it is behind me.",
              text: "<answer>B</answer>",
            }
          : "<think>In Frame 0 it is ahead.</think><answer>A</answer>";
      },
    });
  });
  test.afterAll(() => fake.close());

  const addEndpoint = (page: Page) =>
    mutate(page, "endpoints.put", {
      endpoint_id: null,
      name: "lab",
      base_url: fake.base_url,
      models: ["reasons-3b"],
      concurrency: 4,
    });

  test("streams its reasoning, is read, judged and asked again without a triple", async ({ page }) => {
    await page.goto("/library");
    await addEndpoint(page);
    await openAsk(page);
    await writeQuestion(page, "Where is the kiosk at the end?", ["ahead", "behind"], "B");
    let goOn = () => {};
    const seen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    fake.queue({ kind: "hold", until: seen });
    await page.getByRole("button", { name: "Ask", exact: true }).click();

    const trace = getTrace(page);
    await expect(trace).toHaveAttribute("data-state", "streaming");
    await expect(trace).toContainText("The start");
    goOn();
    await expect(trace).toHaveAttribute("data-state", "done");
    await expect(trace).toContainText("<think>The start is Frame 0.");
    await expect(getVerdict(page)).toContainText("answered B · right answer B");
    await expect(getVerdict(page)).toContainText("✓ right");
    await expect(getVerdict(page)).toContainText("judge Bconsistent ✓");
    await expect(getVerdict(page)).toContainText("Read by a letter alone in the answer block");

    // What it cites leads to its picture.
    await trace.getByRole("button", { name: "Open frame 1" }).click();
    const told = page.getByTestId("told");
    await expect(told.nth(1)).toContainText("cited");
    await expect(told.nth(1)).toHaveAttribute("data-here", "true");
    await expectAccessible(page, "a trace");

    await expect(page).toHaveURL(/trace=/);
    await page.reload();
    await expect(getVerdict(page)).toContainText("answered B");

    await page.getByRole("button", { name: "Strike out key-frame 1" }).click();
    await expect(told.nth(1)).toHaveAttribute("data-struck", "true");
    await page.getByRole("button", { name: "Ask again" }).click();
    const both = page.getByTestId("before-and-after");
    await expect(both).toHaveAttribute("data-flipped", "true");
    await expect(both).toContainText("the answer flipped: B → A");
    await expect(both).toContainText("Struck out: key-frame 1.");
    await expect(both.locator("mark").first()).toBeVisible();
    await expect(page.getByTestId("earlier-trace")).toHaveCount(2);
    await page.getByTestId("earlier-trace").nth(1).click();
    await expect(getVerdict(page)).toContainText("answered B");
  });

  test("gives the case as one picture", async ({ page }) => {
    await page.goto("/library");
    await addEndpoint(page);
    await openAsk(page);
    await writeQuestion(page, "Where is the kiosk at the end?", ["ahead", "behind"], "B");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await expect(getVerdict(page)).toContainText("judge");
    await page.getByRole("button", { name: "Case panel" }).click();
    const dialog = page.getByRole("dialog", { name: "Case panel" });
    const picture = dialog.getByRole("img", { name: /^Case: / });
    await expect(picture).toBeVisible();
    await expect(picture).toHaveJSProperty("naturalWidth", 1180);
    const coming = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download SVG" }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe("street-round-the-corner-3 case.svg");
    const svg = readFileSync(await file.path(), "utf8");
    expect(svg).toContain('data-cited="true"');
    expect(svg.match(/href="data:image\/jpeg;base64,/g)?.length).toBeGreaterThan(2);
  });

  test("says what went wrong where it happened, and keeps what had come", async ({ page }) => {
    await page.goto("/library");
    await addEndpoint(page);
    await openAsk(page);
    await writeQuestion(page, "Where is the kiosk?", ["ahead", "behind"], "B");
    const again = page.getByRole("button", { name: /^Ask( again)?$/ });
    for (const [behaviour, words] of [
      [{ kind: "cut" }, "the connection was cut"],
      [{ kind: "html" }, "answers with a page"],
      [{ kind: "status", status: 401, message: "no" }, "wants a key"],
    ] as const) {
      fake.queue(behaviour);
      await again.click();
      await expect(getTrace(page)).toHaveAttribute("data-state", "failed");
      await expect(getTrace(page)).toContainText(words);
    }
    // It says nothing more, so that there is time to stop it.
    fake.queue({ kind: "stall" });
    await again.click();
    await expect(getTrace(page)).toContainText("The start");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(getTrace(page)).toHaveAttribute("data-state", "cancelled");
    await expect(getTrace(page)).toContainText("Stopped. What had come by then is kept.");
  });
});

test("the policy of a run reasons in this browser", async ({ page, server, policy }) => {
  test.setTimeout(300_000);
  await page.goto("/library");
  await adoptPolicy(page, server, policy);
  await openAsk(page);

  await page.getByRole("button", { name: "Ask for the heading after the clip's moves" }).click();
  await expect(page.getByTestId("question")).toContainText("if you start facing north?");
  // It is a rendered clip: the right answer is known.
  await expect(page.getByTestId("question")).toContainText("Right answer: C");
  await expect(page.getByRole("button", { name: "Ask", exact: true })).toBeEnabled();
  await page.keyboard.press("Enter");

  const trace = getTrace(page);
  await expect(trace).toContainText("<think>", { timeout: 60_000 });
  await expect(trace).toHaveAttribute("data-state", "done", { timeout: 60_000 });
  await expect(getVerdict(page)).toContainText("answered C · right answer C");
  await expect(getVerdict(page)).toContainText("✓ right");
  await expect(getVerdict(page)).toContainText("consistent");
  await expect(page.getByTestId("told").filter({ hasText: "cited" }).first()).toBeVisible();
  const trace_id = await trace.getAttribute("data-trace");
  const first = await query<Trace>(page, "traces.get", { trace_id });
  expect(first.reasoner).toMatchObject({ kind: "onnx", source: { kind: "run", run_id: policy.run_id } });
  expect(first.prompt).toMatch(/^start north .* heading \?$/);

  // Without the second quarter, which takes the last three key-frames, it faces west.
  for (const index of [4, 5, 6])
    await page.getByRole("button", { name: `Strike out key-frame ${index}` }).click();
  await page.getByRole("button", { name: "Ask again" }).click();
  const both = page.getByTestId("before-and-after");
  await expect(both).toContainText("the answer flipped: C → D", { timeout: 60_000 });
  await expect(both).toContainText("Struck out: key-frame 4, key-frame 5, key-frame 6.");
  await expect(both.locator("mark").first()).toBeVisible();

  await writeQuestion(page, "What colour is the kiosk?", ["red", "green"], "A");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  const refused = page.getByRole("alert").filter({ hasText: "This policy" });
  await expect(refused).toContainText(/This policy knows \d+ words, and not “What”, “colour”/);
  await expect(refused.getByRole("link", { name: "add an endpoint" })).toBeVisible();
  await expectAccessible(page, "a refusal");
  await refused.getByRole("button", { name: "heading after the clip's moves" }).click();
  await expect(page.getByTestId("question")).toContainText("if you start facing north?");
});

test("a model of the hub reasons in this browser, and fetching it can be stopped", async ({
  page,
  server,
  policy,
}) => {
  test.setTimeout(300_000);
  const hub = await startHub();
  process.env.HF_ENDPOINT = hub.url;
  try {
    // Whatever a person asks, this model reads a question that it has learned.
    layOutModel(policy, join(hub.root, "someone/chat"), "start north 1 forward 2 right heading ?");
    await server.restart();
    await page.goto("/library");
    await mutate(page, "policies.addHubModel", { id: "someone/chat" });
    await mutate(page, "policies.addHubModel", { id: "someone/gone" });
    await openAsk(page);
    await writeQuestion(page, "Where is the kiosk?", ["ahead", "right"], "B");
    const reasoner = page.getByRole("combobox", { name: "Reasoner" });
    await reasoner.click();
    await page.getByRole("option", { name: "someone/chat · from the hub, loaded by this browser" }).click();

    hub.is_held = true;
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await expect(page.getByRole("progressbar", { name: "Fetching the model" })).toBeVisible();
    await expect.poll(() => hub.asked).toContain("someone/chat/onnx/model.onnx");
    await expectAccessible(page, "a model that is being fetched");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect.poll(() => hub.broken_off).toEqual(["someone/chat/onnx/model.onnx"]);
    hub.is_held = false;

    await page.getByRole("button", { name: /^Ask( again)?$/ }).click();
    await expect(getTrace(page)).toHaveAttribute("data-state", "done", { timeout: 60_000 });
    await expect(getVerdict(page)).toContainText("answered B · right answer B");
    await expect(getVerdict(page)).not.toContainText("Judged by");
    const trace_id = await getTrace(page).getAttribute("data-trace");
    const trace = await query<Trace>(page, "traces.get", { trace_id });
    expect(trace.reasoner).toMatchObject({ kind: "onnx", source: { kind: "hub", id: "someone/chat" } });
    expect(trace.prompt).toContain("Where is the kiosk?");

    await reasoner.click();
    await page.getByRole("option", { name: /^someone\/gone/ }).click();
    await page.getByRole("button", { name: /^Ask( again)?$/ }).click();
    await expect(page.getByText("The hub has no model someone/gone that is open to everyone.")).toBeVisible();
  } finally {
    delete process.env.HF_ENDPOINT;
    hub.close();
  }
});
