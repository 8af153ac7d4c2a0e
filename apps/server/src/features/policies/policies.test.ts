import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PolicyCard } from "@sightline/core/policies";
import type { RunSummary } from "@sightline/core/runs";
import { afterEach, expect, test } from "vitest";
import { StartError } from "../../data-folder/start-error.ts";
import { type Db, openDatabase } from "../../db/open.ts";
import { startTestServer } from "../../testing.ts";
import { toHub } from "./hub.ts";
import { createPolicies } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sightline-policies-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeDb(): Db {
  const db = openDatabase(join(makeFolder(), "sightline.db"));
  cleanups.push(() => db.$client.close());
  return db;
}

function createFor(dataDir: string, listRuns: () => RunSummary[] = () => []) {
  return createPolicies({ db: makeDb(), dataDir, hubAddress: undefined, listRuns });
}

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const MODEL = {
  "config.json": "{}",
  "tokenizer.json": "{}",
  "tokenizer_config.json": "{}",
  "onnx/model.onnx": "weights",
};

function makeCard(run_id: string, made_secs: number): PolicyCard {
  return {
    version: 1,
    run_id,
    name: "as it was called then",
    step: 192,
    seed: 1,
    is_tiny: true,
    parameters: 644_352,
    vocabulary: ["<pad>", "start"],
    levels: [],
    max_completion_tokens: 48,
    has_reference: false,
    held_out: { n: 128, accuracy: 0.95, low: 0.9, high: 0.98, format: 0.97 },
    made_secs,
  };
}

/** An export as the trainer leaves it; `COMPLETE.json` names sizes that `change` may contradict. */
function writeExport(runs: string, run_id: string, made_secs: number, change: Record<string, string> = {}) {
  const files = { ...MODEL, "policy.json": JSON.stringify(makeCard(run_id, made_secs)) };
  const sizes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.length]));
  writeFiles(join(runs, run_id, "export"), {
    ...files,
    "COMPLETE.json": JSON.stringify({ step: 192, files: sizes }),
    ...change,
  });
}

const asRun = (run_id: string, host_id = "local") =>
  ({ run_id, host_id, name: `now ${run_id}` }) as RunSummary;

test("whole exports of runs on this machine and model folders are listed, the newest first", async () => {
  const dataDir = makeFolder();
  const runs = join(dataDir, "runs");
  writeExport(runs, "old", 100);
  writeExport(runs, "new", 200);
  writeExport(runs, "torn", 300, { "onnx/model.onnx": "half" });
  writeExport(runs, "unmarked", 300, { "COMPLETE.json": "" });
  writeExport(runs, "strange", 300, { "policy.json": "[]" });
  writeExport(runs, "trashed", 300);
  writeExport(runs, "elsewhere", 300);
  mkdirSync(join(runs, "untrained"));
  writeFiles(join(dataDir, "models/mine"), MODEL);
  const policies = createFor(dataDir, () => [
    ...["old", "new", "torn", "unmarked", "strange", "untrained", "gone"].map((run_id) => asRun(run_id)),
    asRun("elsewhere", "ssh-1"),
  ]);
  const list = await policies.list();
  expect(list.map(({ source }) => source)).toEqual([
    { kind: "folder", model_id: "mine" },
    { kind: "run", run_id: "new" },
    { kind: "run", run_id: "old" },
  ]);
  expect(list[1]).toMatchObject({ name: "now new", problem: null, dtype: "fp32" });
  expect(list[1]?.card?.held_out?.accuracy).toBe(0.95);
});

test("a model folder that can't be loaded says why", async () => {
  const dataDir = makeFolder();
  const outside = makeFolder();
  writeFiles(outside, MODEL);
  writeFiles(join(dataDir, "models"), { "a file.txt": "" });
  writeFiles(join(dataDir, "models/bare"), { "config.json": "{}" });
  writeFiles(join(dataDir, "models/my model"), MODEL);
  writeFiles(join(dataDir, "models/small"), { ...MODEL, "onnx/model_q4.onnx": "q4" });
  rmSync(join(dataDir, "models/small/onnx/model.onnx"));
  symlinkSync(outside, join(dataDir, "models/linked"));
  writeFiles(join(dataDir, "models/hollow"), { ...MODEL, "onnx/model.onnx": "" });
  writeFiles(join(dataDir, "models/leads-out"), MODEL);
  rmSync(join(dataDir, "models/leads-out/config.json"));
  symlinkSync(join(outside, "config.json"), join(dataDir, "models/leads-out/config.json"));
  const list = await createFor(dataDir).list();
  const byName = Object.fromEntries(list.map((policy) => [policy.name, policy]));
  expect(Object.keys(byName).sort()).toEqual(["bare", "hollow", "leads-out", "linked", "my model", "small"]);
  expect(byName.bare?.problem).toMatch(/lacks tokenizer.json, tokenizer_config.json, onnx\/model.onnx/);
  expect(byName["my model"]?.problem).toMatch(/Rename the folder/);
  expect(byName.linked?.problem).toMatch(/without links/);
  expect(byName["leads-out"]?.problem).toMatch(/without links/);
  expect(byName.hollow?.problem).toBe("onnx/model.onnx holds nothing: copy it again.");
  expect(byName.small).toMatchObject({ problem: null, dtype: "q4" });
});

test("a new data folder has no policy", async () => {
  expect(await createFor(makeFolder()).list()).toEqual([]);
});

test("files are served to a page that is in, and nothing else of the machine", async () => {
  const server = await startTestServer();
  cleanups.push(() => server.close());
  const { dataDir } = server.app;
  writeFiles(join(dataDir, "models/mine"), MODEL);
  writeExport(join(dataDir, "runs"), "unknown", 100);
  writeFiles(join(dataDir, "models"), { "beside.json": "{}" });
  symlinkSync(join(dataDir, "token"), join(dataDir, "models/mine/linked.json"));
  symlinkSync(dataDir, join(dataDir, "models/up"));
  cpSync(join(dataDir, "models/mine"), join(dataDir, "models/.hidden"), { recursive: true });
  const get = (path: string, headers: Record<string, string> = server.headers) =>
    fetch(`${server.url}/media/policies/${path}`, { headers });

  const weights = await get("folders/mine/onnx/model.onnx");
  expect([weights.status, await weights.text()]).toEqual([200, "weights"]);
  expect(weights.headers.get("content-length")).toBe("7");
  const etag = weights.headers.get("etag") ?? "";
  expect(
    (await get("folders/mine/onnx/model.onnx", { ...server.headers, "if-none-match": etag })).status,
  ).toBe(304);
  expect((await get("folders/mine/config.json")).headers.get("content-type")).toMatch(/json/);

  expect((await get("folders/mine/config.json", {})).status).toBe(401);
  for (const path of [
    "folders/mine/nothing.json",
    "folders/mine/onnx",
    "folders/mine/linked.json",
    "folders/mine/..%2fbeside.json",
    "folders/mine/%2e%2e%2f%2e%2e%2ftoken",
    "folders/mine/%2fetc%2fpasswd",
    "folders/mine/config.json%00.onnx",
    "folders/%2e%2e/token",
    "folders/up/token",
    "folders/.hidden/config.json",
    "runs/unknown/config.json",
    "others/mine/config.json",
  ])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const post = { method: "POST", headers: server.headers };
  expect((await fetch(`${server.url}/media/policies/folders/mine/config.json`, post)).status).toBe(404);
});

test("the hub is the one that HF_ENDPOINT names, and nothing that is no address", () => {
  expect(toHub(undefined).address).toBe("https://huggingface.co");
  expect(toHub("")).toEqual(toHub("https://huggingface.co/"));
  expect(toHub(undefined).sources).toEqual([
    "https://huggingface.co",
    "https://*.huggingface.co",
    "https://*.hf.co",
  ]);
  expect(toHub("http://127.0.0.1:8080/mirror/")).toEqual({
    address: "http://127.0.0.1:8080/mirror",
    sources: ["http://127.0.0.1:8080"],
  });
  for (const wrong of [
    "hub",
    "ftp://hub.example",
    "https://me:secret@hub.example",
    "https://hub.example?x=1",
  ])
    expect(() => toHub(wrong)).toThrow(StartError);
});

test("models of the hub are added by their id, kept, removed and brought back", async () => {
  const db = makeDb();
  const open = () =>
    createPolicies({ db, dataDir: makeFolder(), hubAddress: "http://hub.example", listRuns: () => [] });
  const { hubModels } = open();
  hubModels.add(" someone/tiny-model ");
  hubModels.add("someone/tiny-model");
  for (const wrong of [
    "",
    "model",
    "a/b/c",
    "../x",
    "a/..",
    "a/b..c",
    "https://hub.example/a/b",
    "a/b?x",
    "a b/c",
  ])
    expect(() => hubModels.add(wrong), wrong).toThrow(/no id of a model/);
  expect(await open().list()).toEqual([
    expect.objectContaining({
      source: { kind: "hub", id: "someone/tiny-model" },
      name: "someone/tiny-model",
      bytes: null,
      problem: null,
    }),
  ]);
  const file = () => hubModels.getAddress("someone/tiny-model", "onnx/model.onnx");
  expect(file()).toBe("http://hub.example/someone/tiny-model/resolve/main/onnx/model.onnx");
  hubModels.remove("someone/tiny-model");
  expect([await open().list(), file()]).toEqual([[], null]);
  hubModels.add("someone/tiny-model");
  expect((await open().list()).length).toBe(1);
});

test("a page is sent on to the hub for models that were added, and for nothing else", async () => {
  const server = await startTestServer({ hubAddress: "http://hub.example" });
  cleanups.push(() => server.close());
  server.app.policies.hubModels.add("someone/model");
  const get = (path: string, headers: Record<string, string> = server.headers) =>
    fetch(`${server.url}/media/policies/hub/${path}`, { headers, redirect: "manual" });
  const sent = await get("someone/model/config.json");
  expect([sent.status, sent.headers.get("location")]).toEqual([
    302,
    "http://hub.example/someone/model/resolve/main/config.json",
  ]);
  expect((await get("someone/model/config.json", {})).status).toBe(401);
  for (const path of [
    "someone/other/config.json",
    "someone/model/",
    "someone/model/..%2f..%2fother",
    "someone/model/%2e%2e/config.json",
    "someone/model/a%3fb",
    "someone/model/%2f%2fevil.example",
    "someone%2fmodel/x/config.json",
  ])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});
