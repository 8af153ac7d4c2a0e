import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { formatQuestion, formatVideoText } from "@sightline/core/perception";
import { readQuestionFile } from "@sightline/core/training";
import { listSampleWorlds } from "@sightline/core/worlds";
import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { type App, createApp } from "../../app.ts";
import { toPerceiver } from "../triples/index.ts";
import { layOutRecordedRuns, listSampleQuestions } from "./index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sightline-samples-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 200_000; Date.now() < end && !isSo(); ) await setTimeout(50);
  expect(isSo()).toBe(true);
}

async function start(dataDir: string): Promise<App> {
  const app = await createApp({ dataDir, log: pino({ level: "silent" }), samples: true });
  cleanups.push(() => app.close());
  return app;
}

it("a new folder opens with the sample clips and a finished run that says it was recorded", async () => {
  const app = await start(makeFolder());
  const clips = () => app.clips.library.list({ trash: false });
  await until(
    () => clips().length === listSampleWorlds().length && clips().every(({ state }) => state === "ready"),
  );
  const run = () => app.runs.list({ trash: false }).find(({ run_id }) => run_id === "tiny-recorded");
  await until(() => run()?.state === "done");
  expect(run()).toMatchObject({
    recorded: true,
    simulated: false,
    engine: "grpo",
    step: 192,
    max_steps: 192,
  });
  const asked = app.runs
    .completions("tiny-recorded", 192)
    .flatMap(({ completions }) => completions)
    .filter(({ split }) => split === "eval");
  expect(asked).toHaveLength(128 + listSampleQuestions().length);
});

it("sample questions are exported for GRPO with real triples, and come back whole", async () => {
  const app = await start(makeFolder());
  const clips = () => app.clips.library.list({ trash: false });
  await until(
    () => clips().length === listSampleWorlds().length && clips().every(({ state }) => state === "ready"),
  );
  const questions = app.questions
    .sets({ trash: false })
    .flatMap(({ set_id }) => app.questions.listOfSet(set_id));
  const set_id = questions[0]?.set_id ?? "";
  const [told, ...untold] = new Set(questions.map(({ clip_id }) => clip_id as string));
  expect(app.questions.export(set_id, "grpo")).toMatchObject({ text: "", left_out: questions.length });
  await until(() => app.keyframes.getSaved(told as string) !== null);
  const triples = await app.triples.make(
    {
      clip_id: told as string,
      settings_hash: hashSettings(app.keyframes.getSaved(told as string) ?? SIGHTLINE_SETTINGS),
      perceiver: toPerceiver({ kind: "oracle" }),
      question_id: null,
      question: "",
    },
    new AbortController().signal,
  );
  expect(triples.triples.length).toBeGreaterThan(1);
  const of_told = questions.filter(({ clip_id }) => clip_id === told);
  const file = app.questions.export(set_id, "grpo");
  expect(untold.length).toBeGreaterThan(0);
  expect(file.left_out).toBe(questions.length - of_told.length);
  const read = readQuestionFile(Buffer.from(file.text), (bytes) => new TextDecoder().decode(bytes));
  expect(read.problems).toEqual([]);
  expect(read.rows).toEqual(
    of_told.map(({ source_id, task, text, options, gold }) => ({
      question_id: source_id,
      clip_id: told,
      task,
      prompt: formatVideoText(triples.triples, formatQuestion(text, options)),
      question: formatQuestion(text, options),
      options,
      gold,
      kind: "choice",
      chain: null,
    })),
  );
  // The trainer's own reader of such a file, from which a run may be launched.
  expect(app.training.checkFile(Buffer.from(file.text))).toMatchObject({
    questions: of_told.length,
    problems: [],
  });
});

it("every sample question names a clip that is there", () => {
  const names = new Set(listSampleWorlds().map(({ world_id }) => `sample/${world_id}`));
  const questions = listSampleQuestions();
  expect(questions.length).toBeGreaterThan(0);
  expect(questions.filter(({ question_id, clip_id }) => !names.has(question_id) || clip_id === null)).toEqual(
    [],
  );
});

it("a recorded run is laid out once and holds no path of the machine that made it", () => {
  const runs = join(makeFolder(), "runs");
  mkdirSync(runs);
  layOutRecordedRuns(runs);
  layOutRecordedRuns(runs);
  expect(readdirSync(runs)).toEqual(["tiny-recorded"]);
  expect(existsSync(join(runs, "tiny-recorded/attempts/001/events.jsonl"))).toBe(true);
  const id = readFileSync(join(runs, "tiny-recorded/attempts/001/id.json"), "utf8");
  expect(id).not.toMatch(/"\/\w+\//);
});
