import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../app.ts";
import { layOutRuns, unpackRun } from "../../features/samples/recorded.ts";
import { ARMS, hashCell, listCells, nameCell, SEEDS, specOf } from "./arms.ts";
import { fillTables, makeTables } from "./guide.ts";
import { listClips } from "./look-at-clips.ts";
import { makeQuestions } from "./questions.ts";
import { countEvaluations } from "./results.ts";
import { COMMITTED, readMiniature } from "./store.ts";
import { summariseSeeds } from "./table.ts";

const GUIDE = join(import.meta.dirname, "../../../../../docs/guide/miniature.md");

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe("the committed miniature", () => {
  const miniature = readMiniature(COMMITTED);

  it("makes the tables of the guide, figure by figure", () => {
    const text = readFileSync(GUIDE, "utf8");
    expect(fillTables(text, makeTables(miniature))).toBe(text);
    const named = [...text.matchAll(/<!-- table ([\w-]+) -->/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(makeTables(miniature)).sort());
  });

  it("holds every arm under every seed, of the settings and questions that the code has now", () => {
    expect(miniature.cells.map(nameOf).sort()).toEqual(listCells().map(nameCell).sort());
    const data = new Map(SEEDS.map((seed) => [seed as number, makeQuestions(seed)]));
    for (const cell of listCells()) {
      const result = miniature.cells.find((one) => nameOf(one) === nameCell(cell));
      expect(result?.hash, nameCell(cell)).toBe(
        hashCell(cell, data.get(cell.seed) ?? {}, result?.trainer ?? ""),
      );
    }
  });

  it("counts what the recorded runs say", () => {
    for (const result of miniature.cells) {
      const { files } = unpackRun(join(COMMITTED, `${nameOf(result)}.json.gz`));
      const texts = Object.entries(files).filter(([path]) => path.includes("completions-"));
      expect(countEvaluations(texts.map(([, text]) => text)), nameOf(result)).toEqual(result.evaluations);
      const spec: unknown = JSON.parse(files["spec.json"] ?? "");
      const cell = listCells().find((one) => nameCell(one) === nameOf(result));
      expect(spec).toEqual({
        run_id: `miniature-${nameOf(result)}`,
        recorded: true,
        ...(cell && specOf(cell)),
      });
    }
  });

  it("has looked at every clip, 200 at least, and no policy answered others", () => {
    expect(miniature.clips.map(({ world_id }) => world_id)).toEqual(
      listClips().map(({ world_id }) => world_id),
    );
    expect(miniature.clips.length).toBeGreaterThanOrEqual(200);
    expect(miniature.answers.map(({ seed }) => seed)).toEqual([...SEEDS]);
    expect(miniature.answers.every(({ clips }) => clips === miniature.clips.length)).toBe(true);
  });

  it("lays its runs out where a server finds them, without a path of the machine that made them", () => {
    const runs = mkdtempSync(join(tmpdir(), "sightline-miniature-"));
    cleanups.push(() => rmSync(runs, { recursive: true, force: true }));
    expect(layOutRuns(COMMITTED, runs)).toHaveLength(listCells().length);
    expect(layOutRuns(COMMITTED, runs)).toEqual([]);
    const id = readFileSync(join(runs, `miniature-${ARMS[0]?.arm}-1/attempts/001/id.json`), "utf8");
    expect(id).not.toMatch(/"\/\w+\//);
  });

  it("is opened by the workbench: a server lists its runs as recorded ones and shows their held-out answers", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sightline-miniature-"));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const runs = join(dataDir, "runs");
    mkdirSync(runs);
    const shown = ["miniature-three-stages-1", "miniature-sft-reasoning-1"];
    for (const name of layOutRuns(COMMITTED, runs))
      if (!shown.includes(name)) rmSync(join(runs, name), { recursive: true });
    const app = await createApp({ dataDir, log: pino({ level: "silent" }) });
    cleanups.unshift(() => app.close());
    const list = () => app.runs.list({ trash: false });
    await vi.waitFor(() => expect(list().map(({ state }) => state)).toEqual(["done", "done"]), 200_000);
    for (const run_id of shown) {
      expect(list().find((run) => run.run_id === run_id)).toMatchObject({
        recorded: true,
        step: 96,
        max_steps: 96,
      });
      const answers = app.runs
        .completions(run_id, 96)
        .flatMap(({ completions }) => completions)
        .filter(({ split }) => split === "eval");
      expect(answers).toHaveLength(384);
    }
  });
});

const nameOf = ({ arm, seed }: { arm: string; seed: number }) => `${arm}-${seed}`;

describe("a cell", () => {
  const [cell, other] = listCells();
  if (!cell || !other) throw new Error("there are no cells");
  const data = { "train.jsonl": "{}\n" };

  it("has another hash under other settings, another seed, other questions or another trainer", () => {
    const hash = hashCell(cell, data, "t");
    const changed = [
      hashCell({ ...cell, settings: { ...cell.settings, beta: 0 } }, data, "t"),
      hashCell({ ...cell, seed: 9 }, data, "t"),
      hashCell(cell, { "train.jsonl": "{ }\n" }, "t"),
      hashCell(cell, data, "u"),
    ];
    expect(new Set([hash, ...changed]).size).toBe(5);
    expect(hashCell({ ...cell }, { ...data }, "t")).toBe(hash);
  });

  it("asks nothing in two files, and longer questions only where nothing is trained on", () => {
    const files = makeQuestions(1);
    const rows = (name: string) =>
      (files[name] ?? "")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { prompt: string; task: string; chain: string });
    const prompts = Object.keys(files).flatMap((name) => rows(name).map(({ prompt }) => prompt));
    expect(new Set(prompts).size).toBe(prompts.length);
    expect(new Set(rows("train.jsonl").map(({ task }) => task))).toEqual(new Set(["heading"]));
    expect(rows("eval.jsonl").filter(({ task }) => task === "heading_longer")).toHaveLength(192);
    expect(rows("warm.jsonl").every(({ chain }) => / so (north|east|south|west)$/.test(chain))).toBe(true);
  });
});

describe("held-out answers", () => {
  const line = (more: object) =>
    JSON.stringify({
      split: "eval",
      step: 0,
      task: "heading",
      text: "<think> 1 left west so west heading south </think> <answer> D </answer>",
      parse: { think: [7, 43], letter: "D" },
      rewards: { format: { raw: 1 }, accuracy: { raw: 1 } },
      judges: [
        { variant: "paper", agrees: false, status: "ok" },
        { variant: "unconditional", agrees: false, status: "ok" },
        { variant: "letter_stripped", agrees: true, status: "ok" },
      ],
      ...more,
    });

  it("are counted by step and task; the rule reads the heading that is named last", () => {
    const [first, second] = countEvaluations([
      [
        line({}),
        line({ parse: { think: [7, 25], letter: "D" } }),
        line({ rewards: { format: { raw: 0 }, accuracy: { raw: 0 } } }),
        line({ task: "heading_longer" }),
        line({ split: undefined }),
      ].join("\n"),
      line({ step: 32 }),
    ]);
    expect(first?.in).toEqual({
      accuracy: { n: 3, hold: 2 },
      format: { n: 3, hold: 2 },
      stated: { n: 2, hold: 1 },
      judged: {
        paper: { n: 2, hold: 0 },
        unconditional: { n: 2, hold: 0 },
        letter_stripped: { n: 2, hold: 2 },
      },
    });
    expect(first?.out.accuracy).toEqual({ n: 1, hold: 1 });
    expect(second?.step).toBe(32);
  });
});

it("the interval over three seeds is Student's, and one seed has none", () => {
  const { mean, half } = summariseSeeds([1, 2, 3]);
  expect(mean).toBe(2);
  expect(half).toBeCloseTo(4.30265273 / Math.sqrt(3), 8);
  expect(summariseSeeds([0.5]).half).toBeNull();
});

it("a marker without a table is told, and text around tables stays", () => {
  expect(fillTables("a\n<!-- table x -->\nold\n<!-- end -->\nb", { x: "| new |" })).toBe(
    "a\n<!-- table x -->\n\n| new |\n\n<!-- end -->\nb",
  );
  expect(() => fillTables("<!-- table y -->\n<!-- end -->", {})).toThrow("there is no table y");
});
