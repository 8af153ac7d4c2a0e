import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { checkPrompt, type PolicyCard } from "@sightline/core/policies";
import type { LineOf } from "@sightline/core/wire";
import { makeHeadingSet, type TrainingRow } from "@sightline/core/worlds";
import type { Call, Note, Result } from "../src/app/policy/messages.ts";
import type { Generated } from "../src/app/policy/types.ts";
import { expectAccessible } from "./support/axe.ts";
import { mutate } from "./support/clip.ts";
import { startHub, type TestHub } from "./support/hub.ts";
import { adoptPolicy, layOutModel, type TrainedPolicy, test } from "./support/policy.ts";
import { expect } from "./support/server.ts";
import { callWorker, startWorker } from "./support/worker.ts";

const TRAINER = join(import.meta.dirname, "../../trainer");
const PROMPTS = 60;

/** What PyTorch writes greedily from the run's newest checkpoint. */
function writeInPython({ run_dir }: TrainedPolicy, prompts: string[]): string[] {
  const python = process.env.SIGHTLINE_TRAINER_PYTHON;
  if (python === undefined) throw new Error("SIGHTLINE_TRAINER_PYTHON names no interpreter");
  const env = { ...process.env, OMP_NUM_THREADS: "1", HF_HUB_OFFLINE: "1" };
  const { status, stdout, stderr } = spawnSync(python, ["-m", "tests.grpo.greedy", run_dir], {
    cwd: TRAINER,
    env,
    input: JSON.stringify(prompts),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const callPolicy = callWorker<Call, Note, Result>;

async function generate(page: Page, prompt: string): Promise<Generated & { streamed: string }> {
  const { last, notes } = await callPolicy(page, { type: "generate", prompt, max_tokens: null });
  if (last.type !== "done" || !("generated" in last.result)) throw new Error(JSON.stringify(last));
  const pieces = notes.flatMap((note) => ("text" in note ? [note.text] : []));
  return { ...last.result.generated, streamed: pieces.join("") };
}

async function load(page: Page, run_id: string) {
  return callPolicy(page, { type: "load", source: { kind: "run", run_id } });
}

function readRows(file: string): TrainingRow[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TrainingRow);
}

test("a trained policy writes in Chromium what it writes in PyTorch, and asks nobody else", async ({
  page,
  server,
  policy,
}) => {
  const { card } = await adoptPolicy(page, server, policy);
  expect(card).toMatchObject({ run_id: policy.run_id, has_reference: true, is_tiny: true });
  const prompts = makeHeadingSet(7, { train: PROMPTS, eval: 1, warm: 1 }).train.map(({ prompt }) => prompt);
  const wanted = writeInPython(policy, prompts);
  const asked: string[] = [];
  page.context().on("request", (request) => asked.push(request.url()));

  await startWorker(page, "policy-worker");
  const loaded = await load(page, policy.run_id);
  expect(loaded.last).toMatchObject({ type: "done", result: { loaded: true } });
  const progress = loaded.notes.flatMap((note) => ("loaded" in note ? [note] : []));
  expect(progress.at(-1)?.loaded).toBe(progress.at(-1)?.total);
  expect(progress.at(-1)?.loaded).toBeGreaterThan(2_000_000);

  const written: Generated[] = [];
  for (const prompt of prompts) {
    const { streamed, ...generated } = await generate(page, prompt);
    expect(streamed).toBe(generated.text);
    written.push(generated);
  }
  expect(written.map(({ text }) => text)).toEqual(wanted);
  expect(written.every(({ finish, tokens }) => finish === "eos" && tokens > 5)).toBe(true);
  expect(new Set(wanted).size).toBeGreaterThan(40);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((url) => !url.startsWith(server.url) && !url.startsWith("blob:"))).toEqual([]);

  // Loaded already: nothing but the question whether it is still the same is asked.
  asked.length = 0;
  expect((await load(page, policy.run_id)).last).toMatchObject({ type: "done" });
  expect(asked.filter((url) => url.endsWith(".onnx"))).toEqual([]);
});

test("the policy answers nine of ten headings rightly, and its reference judges as it did in training", async ({
  page,
  server,
  policy,
}) => {
  await adoptPolicy(page, server, policy);
  await startWorker(page, "policy-worker");
  await load(page, policy.run_id);
  const held = readRows(join(policy.run_dir, "data/eval.jsonl"));
  let right = 0;
  for (const { prompt, gold } of held) {
    const { text } = await generate(page, prompt);
    if (text.endsWith(`<answer> ${gold} </answer>`)) right += 1;
  }
  expect(held.length).toBeGreaterThan(50);
  expect(right / held.length).toBeGreaterThanOrEqual(0.9);

  const questions = new Map(
    ["train", "eval"].flatMap((name) =>
      readRows(join(policy.run_dir, `data/${name}.jsonl`)).map((row) => [row.question_id, row] as const),
    ),
  );
  const attempt = join(policy.run_dir, "attempts/001");
  const judged = readdirSync(attempt)
    .filter((name) => name.startsWith("completions-"))
    .flatMap((name) => readFileSync(join(attempt, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as LineOf<"completion">)
    .flatMap(({ question_id, text, parse, judges }) => {
      const question = questions.get(question_id)?.question;
      const letter = judges[0]?.status === "ok" ? judges[0].letter : null;
      if (!parse.think || letter === null || question === undefined) return [];
      return [{ question, think: text.slice(...parse.think), letter }];
    });
  const distinct = [...new Map(judged.map((one) => [`${one.question}${one.think}`, one])).values()].slice(
    0,
    80,
  );
  expect(distinct.length).toBe(80);
  const letters: (string | null)[] = [];
  for (const { question, think } of distinct) {
    const { last } = await callPolicy(page, {
      type: "judge",
      question,
      think,
      letters: ["A", "B", "C", "D"],
    });
    letters.push(last.type === "done" && "letter" in last.result ? last.result.letter : null);
  }
  expect(letters).toEqual(distinct.map(({ letter }) => letter));
  expect(new Set(letters).size).toBe(4);
});

test("what is being written can be cancelled, and the next question is answered", async ({
  page,
  server,
  policy,
}) => {
  const { card } = await adoptPolicy(page, server, policy);
  await startWorker(page, "policy-worker");
  // The longest, so that a cancel comes before its end.
  const prompt = (card as PolicyCard).levels.at(-1)?.example ?? "";
  expect(checkPrompt(card as PolicyCard, prompt)).toMatchObject({ can_read: true });
  const early = await callPolicy(page, { type: "generate", prompt, max_tokens: null });
  expect(early.last).toMatchObject({
    type: "failed",
    message: expect.stringContaining("No policy is loaded"),
  });
  await load(page, policy.run_id);
  const ask = { type: "generate", prompt, max_tokens: null } as const;
  const { last, notes } = await callPolicy(page, ask, { cancelAt: { field: "text" } });
  expect(last.type).toBe("cancelled");
  const whole = await generate(page, prompt);
  expect(notes.length).toBeLessThan(whole.streamed.split(" ").length);
  expect(await callPolicy(page, { ...ask, max_tokens: 3 })).toMatchObject({
    last: { result: { generated: { tokens: 3, finish: "length" } } },
  });
});

test("a folder under models runs as well; what is gone says so", async ({ page, server, policy }) => {
  await adoptPolicy(page, server, policy);
  const folder = join(server.dataDir, "models/my-policy");
  layOutModel(policy, folder);
  await startWorker(page, "policy-worker");
  const source = { kind: "folder", model_id: "my-policy" } as const;
  expect((await callPolicy(page, { type: "load", source })).last).toMatchObject({ type: "done" });
  const { text } = await generate(page, "start north 1 left 2 left heading ?");
  expect(text).toContain("<answer>");
  const judged = { type: "judge", question: "heading ?", think: "1 left west", letters: ["A", "B"] } as const;
  expect((await callPolicy(page, judged)).last).toMatchObject({ result: { letter: null } });

  rmSync(join(folder, "onnx"), { recursive: true });
  writeFileSync(join(folder, "config.json"), "{}");
  const fail = async (source: Parameters<typeof callPolicy>[1] & { type: "load" }) => {
    const { last } = await callPolicy(page, source);
    return last.type === "failed" ? last.message : last.type;
  };
  expect(await fail({ type: "load", source })).toMatch(/no weights under onnx/);
  expect(await fail({ type: "load", source: { kind: "folder", model_id: "none" } })).toMatch(
    /files are gone/,
  );
});

/** Has the marks of a chat template: it puts the last words of a heading prompt after what the user says. */
const CHAT_TEMPLATE = "{{ messages[0]['content'] }}{% if add_generation_prompt %} heading ?{% endif %}";

test("a model with a chat template reads what the template makes of the prompt", async ({
  page,
  server,
  policy,
}) => {
  layOutModel(policy, join(server.dataDir, "models/plain"));
  layOutModel(policy, join(server.dataDir, "models/chat"), CHAT_TEMPLATE);
  await startWorker(page, "policy-worker");
  const write = async (model_id: string, prompt: string) => {
    const { last } = await callPolicy(page, { type: "load", source: { kind: "folder", model_id } });
    expect(last).toMatchObject({ type: "done" });
    return (await generate(page, prompt)).text;
  };
  const whole = await write("plain", "start north 1 left 2 left heading ?");
  expect(whole).toContain("<answer>");
  expect(await write("chat", "start north 1 left 2 left")).toBe(whole);
  expect(await write("plain", "start north 1 left 2 left")).not.toBe(whole);
});

test.describe("models of the hub", () => {
  let hub: TestHub;
  test.beforeAll(async ({ policy }) => {
    hub = await startHub();
    process.env.HF_ENDPOINT = hub.url;
    const layOut = (id: string, chat_template?: string) => {
      const folder = join(hub.root, id);
      layOutModel(policy, folder, chat_template);
      return { folder, weights: join(folder, "onnx/model.onnx") };
    };
    layOut("someone/tiny");
    layOut("someone/chat", CHAT_TEMPLATE);
    const small = layOut("someone/quantized").weights;
    renameSync(small, small.replace("model.onnx", "model_quantized.onnx"));
    const torch = layOut("someone/torch").weights;
    renameSync(torch, join(torch, "../model.safetensors"));
    truncateSync(layOut("someone/huge").weights, 3e9);
    rmSync(join(layOut("someone/wordless").folder, "tokenizer.json"));
    mkdirSync(join(hub.root, "someone/bare"));
  });
  test.afterAll(() => {
    delete process.env.HF_ENDPOINT;
    hub.close();
  });
  test.beforeEach(() => {
    hub.is_held = false;
    hub.asked.length = 0;
    hub.broken_off.length = 0;
  });

  const add = (page: Page, id: string) => mutate(page, "policies.addHubModel", { id });
  const loadModel = (page: Page, id: string, how?: Parameters<typeof callPolicy>[2]) =>
    callPolicy(page, { type: "load", source: { kind: "hub", id } }, how);

  test("a person adds an id, and the browser fetches the model from the hub and runs it", async ({
    page,
    server,
  }) => {
    const asked: string[] = [];
    page.context().on("request", (request) => asked.push(request.url()));
    await page.goto("/settings");
    const section = page.getByRole("region", { name: "Models from the hub" });
    const id = section.getByRole("textbox", { name: "Id of a model" });
    await expect(section).toContainText(hub.url);
    await id.fill("someone");
    await id.press("Enter");
    await expect(section.getByRole("alert")).toContainText("That is no id of a model.");
    await expectAccessible(page, "a refused id");
    for (const name of ["someone/tiny", "someone/chat", "someone/quantized"]) {
      await id.fill(name);
      await id.press("Enter");
      await expect(section.getByRole("listitem").filter({ hasText: name })).toBeVisible();
    }
    await expectAccessible(page, "the models of the hub");
    await section.getByRole("button", { name: "Remove someone/chat" }).press("Enter");
    await expect(section.getByRole("listitem")).toHaveCount(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(section.getByRole("listitem")).toHaveCount(3);
    await server.restart();
    await page.reload();
    await expect(section.getByRole("listitem")).toHaveCount(3);
    expect(hub.asked).toEqual([]);

    await startWorker(page, "policy-worker");
    const prompt = "start north 1 left 2 left heading ?";
    const { last, notes } = await loadModel(page, "someone/tiny");
    expect(last).toMatchObject({ type: "done" });
    const progress = notes.flatMap((note) => ("loaded" in note ? [note] : []));
    expect(progress.at(-1)?.loaded).toBeGreaterThan(2_000_000);
    expect(progress.at(-1)?.loaded).toBe(progress.at(-1)?.total);
    const { text, finish } = await generate(page, prompt);
    expect([text, finish]).toEqual([expect.stringContaining("<answer>"), "eos"]);
    expect((await loadModel(page, "someone/chat")).last).toMatchObject({ type: "done" });
    expect((await generate(page, "start north 1 left 2 left")).text).toBe(text);
    expect((await loadModel(page, "someone/quantized")).last).toMatchObject({ type: "done" });
    expect((await generate(page, prompt)).text).toBe(text);

    const away = asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("blob:"));
    expect(away.length).toBeGreaterThan(0);
    expect(away.filter((url) => !url.startsWith(`${hub.url}/someone/`))).toEqual([]);
    // The page itself may not ask the hub.
    const reach = (url: string) =>
      fetch(url).then(
        () => "reached",
        () => "refused",
      );
    expect(await page.evaluate(reach, `${hub.url}/someone/tiny/resolve/main/config.json`)).toBe("refused");
  });

  test("what can't be run is refused in plain words", async ({ page }) => {
    const fail = async (id: string) => {
      await add(page, id);
      const { last } = await loadModel(page, id);
      return last.type === "failed" ? last.message : last.type;
    };
    await startWorker(page, "policy-worker");
    const { last } = await loadModel(page, "someone/tiny");
    expect(last).toMatchObject({ message: expect.stringContaining("Add it again under Settings.") });
    expect(hub.asked).toEqual([]);
    expect(await fail("nobody/nothing")).toMatch(
      /The hub has no model nobody\/nothing that is open to everyone/,
    );
    expect(await fail("someone/bare")).toMatch(/has no config.json/);
    expect(await fail("someone/torch")).toMatch(/has no ONNX weights/);
    expect(await fail("someone/huge")).toMatch(/too large for a browser: its smallest weights have 3.0 GB/);
    expect(await fail("someone/wordless")).toMatch(/has no tokenizer.json/);
  });

  test("fetching can be cancelled, and goes on at the next try; a hub that is away says so", async ({
    page,
  }) => {
    await add(page, "someone/tiny");
    await startWorker(page, "policy-worker");
    hub.is_held = true;
    const { last } = await loadModel(page, "someone/tiny", { cancelAt: { field: "loaded", least: 50_000 } });
    expect(last.type).toBe("cancelled");
    await expect.poll(() => hub.broken_off).toEqual(["someone/tiny/onnx/model.onnx"]);
    hub.is_held = false;
    expect((await loadModel(page, "someone/tiny")).last).toMatchObject({ type: "done" });
    hub.close();
    await add(page, "someone/later");
    expect((await loadModel(page, "someone/later")).last).toMatchObject({
      type: "failed",
      message: expect.stringContaining("The hub can't be reached for someone/later."),
    });
  });
});
