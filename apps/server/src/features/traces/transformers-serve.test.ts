import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TripleSet } from "@sightline/core/perception";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { upload } from "../clips/testing/tus.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { createTraces } from "./index.ts";

const python = process.env.SIGHTLINE_TRAINER_PYTHON;

/** Both what serves and what it needs are in the tests' Python alone. */
const canServe =
  python !== undefined && canImport(python, "transformers.cli.serving.server, uvicorn, openai");

function canImport(interpreter: string, modules: string): boolean {
  try {
    execFileSync(interpreter, ["-c", `import ${modules}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe.skipIf(!canServe)("transformers serve, with a model of random weights", () => {
  let folder: string;
  let child: ChildProcess;
  let server: TestServer;
  let base_url: string;
  let model: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sightline-serve-"));
    model = join(folder, "model");
    const hub = join(folder, "hub");
    const env = { ...process.env, HF_HUB_OFFLINE: "1", HF_HOME: hub, HF_HUB_CACHE: hub };
    execFileSync(python ?? "", [join(import.meta.dirname, "testing/make-model.py"), model], { env });
    const port = await findFreePort();
    base_url = `http://127.0.0.1:${port}/v1`;
    const serve = "from transformers.cli.transformers import main; main()";
    child = spawn(
      python ?? "",
      ["-c", serve, "serve", model, "--host", "127.0.0.1", "--port", String(port), "--device", "cpu"],
      { env, stdio: "ignore" },
    );
    await waitFor(
      () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ ok }) => ok,
          () => child.exitCode !== null,
        ),
      (isUp) => isUp,
    );
    expect(child.exitCode).toBeNull();
    server = await startTestServer();
  });

  afterAll(async () => {
    await server?.close();
    if (child?.exitCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test("streams, is cut at the longest length, is read and judged as any other", async () => {
    const { app } = server;
    const answer = await upload(server, "walk.mp4", readFileSync(getFixture("two-frames.mp4")));
    const clip_id = answer.headers.get("x-clip-id") ?? "";
    const { endpoint_id } = app.endpoints.put({
      endpoint_id: null,
      name: "transformers",
      base_url,
      models: [model],
      concurrency: 1,
    });
    const triple = { frame: 0, time_secs: 0, relevant: "", problems: [], motion: null, edits: 0 };
    const triples: TripleSet["triples"] = [
      { ...triple, index: 0, action: null, change: "A wall.", raw: "" },
      { ...triple, index: 1, action: "rotate left", change: "A door enters.", raw: "" },
    ];
    let pieces = 0;
    const traces = createTraces({
      db: app.db,
      jobs: app.jobs,
      askModel: (id, request, options) =>
        app.endpoints.chat(id, request, {
          ...options,
          onDelta(delta) {
            pieces += 1;
            options.onDelta?.(delta);
          },
        }),
      getTripleSet: (triple_set_id) => ({ triple_set_id, clip_id, triples }) as TripleSet,
      getQuestion: () => ({
        task: "",
        text: "Where?",
        options: ["left", "right"],
        gold: "A",
        kind: "choice",
      }),
      getClipName: () => "walk.mp4",
      findWorld: () => null,
    });
    const { trace_id } = traces.ask({
      clip_id,
      question_id: "q",
      triple_set_id: "set",
      struck: [],
      asked_after: null,
      reasoner: { kind: "openai", endpoint_id, model, temperature: 0, max_tokens: 120 },
      judge: { endpoint_id, model },
    });
    const trace = await waitFor(
      () => traces.get(trace_id),
      ({ state }) => state !== "streaming",
    );
    // Random weights say nothing that makes sense; that they say it piece by piece is what counts.
    expect(trace).toMatchObject({ state: "done", accuracy: 0, tokens: 120 });
    expect(trace.problem).toContain("Cut at the longest length");
    expect(trace.text.length).toBeGreaterThan(20);
    expect(pieces).toBeGreaterThan(2);
    const judged = await waitFor(
      () => traces.get(trace_id),
      ({ judgement }) => judgement !== null,
    );
    // Whether bytes at random look like a reasoning is the server's choice; a letter they never are.
    expect(judged.judgement).toMatchObject({ letter: null, agrees: false });
    expect(["no_think", "unparsed"]).toContain(judged.judgement?.status);
  });

  test("a model that it doesn't have is named", async () => {
    const { app } = server;
    const { endpoint_id } = app.endpoints.put({
      endpoint_id: null,
      name: "transformers",
      base_url,
      models: [],
      concurrency: 1,
    });
    const attempt = await app.endpoints.attempt(endpoint_id, "gone-7b", new AbortController().signal);
    expect(attempt.problem ?? "").not.toBe("");
  });
});
