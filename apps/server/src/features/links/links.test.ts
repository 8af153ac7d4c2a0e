import { setTimeout as sleep } from "node:timers/promises";
import { readHeadingPrompt, solveHeadingPrompt } from "@sightline/core/policies";
import { toHeadingLetter } from "@sightline/core/worlds";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { App } from "../../app.ts";
import { startTestServer, type TestServer } from "../../testing.ts";

const RUN = "tiny-recorded";
let server: TestServer;
let app: App;

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 200_000; Date.now() < end && !isSo(); ) await sleep(50);
  expect(isSo()).toBe(true);
}

beforeEach(async () => {
  server = await startTestServer({ samples: true });
  app = server.app;
  await until(() => app.runs.list({ trash: false }).find(({ run_id }) => run_id === RUN)?.state === "done");
});
afterEach(() => server.close());

const list = (filter: Parameters<App["find"]["list"]>[0]["filter"], limit = 200) =>
  app.find.list({ run_id: RUN, filter, offset: 0, limit });

describe("which link broke, on the recorded run", () => {
  it("is counted over all wrong answers, as an independent reading of them counts", async () => {
    await until(() => {
      const { wrong, checked } = app.links.count(RUN);
      return wrong > 0 && checked === wrong;
    });
    const { wrong, cells } = app.links.count(RUN);
    expect(wrong).toBe(list({ accuracy: "none" }).total);
    const sum = (link: string | null) =>
      cells.filter(({ broken }) => broken === link).reduce((all, { n }) => all + n, 0);
    expect(cells.reduce((all, { n }) => all + n, 0)).toBe(wrong);
    for (const link of ["clip", "key_frames", "triples", "fact"]) expect(sum(link)).toBe(0);
    for (const link of ["reasoning", "conclusion", "extraction"] as const)
      expect(list({ broken: link }).total).toBe(sum(link));

    const { width } = app.links.count(RUN);
    for (const { broken, column, task, n } of cells)
      expect(
        list({
          broken: broken ?? "none",
          task,
          from_step: column * width,
          to_step: (column + 1) * width - 1,
        }).total,
      ).toBe(n);

    // Read apart from the rules: the reasoning came to the right heading, and another letter was answered.
    for (const { completion_id } of list({ broken: "conclusion" }).rows.slice(0, 60)) {
      const { line } = app.find.get(completion_id);
      const before =
        /<think>(.*?)<\/?(?:think|answer)>/s.exec(line.text)?.[1] ?? line.text.split("<answer>")[0] ?? "";
      const last = /(north|east|south|west)(?!.*(?:north|east|south|west))/s.exec(before)?.[1];
      expect(toHeadingLetter(last as "north")).toBe(line.gold);
      expect(line.parse.letter).not.toBe(line.gold);
    }
    // Where the reading is to blame no letter was read, or several.
    for (const { completion_id } of list({ broken: "extraction" }).rows) {
      const { line } = app.find.get(completion_id);
      expect(line.parse.letter === null || line.text.split("<answer>").length > 2).toBe(true);
    }
  });

  it("of one answer: the frame that explains it, once its clip has key-frames and triples", async () => {
    await until(() => app.clips.library.list({ trash: false }).every(({ state }) => state === "ready"));
    const found = list({ question: "sample/street-round-the-corner-3", accuracy: "none" }).rows;
    const first = found.find(({ step }) => step === 0);
    const { line } = app.find.get(first?.completion_id ?? 0);
    const name = { run_id: RUN, attempt: line.attempt, seq: line.seq };
    app.links.prepare(name);
    await until(() => app.links.check(name).lacks === null);
    const report = app.links.check(name);
    expect(report.broken).toBe("reasoning");
    expect(report.checks[2]).toMatchObject({ link: "triples", state: "holds" });
    expect(report.checks[4]?.sentence).toBe("After 3 forward it says east; from west that is west.");
    const look = report.checks[4]?.looks.find(({ kind }) => kind === "frame");
    expect(look).toMatchObject({ kind: "frame", point: 3 });
    const set = app.triples.get(report.triple_set_id ?? "");
    const triple = set.triples.find(({ frame }) => look?.kind === "frame" && frame === look.frame);
    expect(triple?.action).toBe("move forward");
    expect(report.clip?.clip_id).toBe(line.clip_id);
  });

  it("the clip of a generated question is rendered when it is wanted, and tells what was not told before", async () => {
    // The shortest film there is: rendering one takes a while on a busy machine.
    const names = list({ accuracy: "none", from_step: 30, split: "train" }).rows.map(({ completion_id }) => {
      const { line } = app.find.get(completion_id);
      return { line, name: { run_id: RUN, attempt: line.attempt, seq: line.seq } };
    });
    const lasting = ({ name }: (typeof names)[number]) =>
      app.links.check(name).film_secs ?? Number.POSITIVE_INFINITY;
    const [shortest] = names.slice(0, 60).sort((a, b) => lasting(a) - lasting(b));
    if (shortest === undefined) throw new Error("no wrong answer");
    const { line, name } = shortest;
    const before = app.links.check(name);
    expect(before).toMatchObject({ lacks: "clip", clip: null });
    expect(before.untold).toEqual(expect.arrayContaining(["clip", "key_frames"]));
    const { job_id } = app.links.prepare(name);
    expect(app.links.prepare(name).job_id).toBe(job_id);
    const getJob = () => app.jobs.list().find((job) => job.job_id === job_id);
    await until(() => !["waiting", "running"].includes(getJob()?.state ?? ""));
    expect(getJob()).toMatchObject({ state: "done", problem: null });
    const after = app.links.check(name);
    expect(after.checks.slice(0, 2).map(({ state }) => state)).toEqual(["holds", "holds"]);
    expect(after).toMatchObject({ lacks: null, broken: before.broken, untold: [] });
    expect(app.clips.library.get(after.clip?.clip_id ?? "").tags).toEqual(["rendered"]);
    expect(app.triples.get(after.triple_set_id ?? "").label).toMatch(/truth|oracle/i);
    const told = readHeadingPrompt(
      app.runs.completions(RUN, line.step).find((group) => group.group_id === line.group_id)?.prompt ?? "",
    );
    if (told === null) throw new Error("the prompt was not kept");
    expect(toHeadingLetter(solveHeadingPrompt(told))).toBe(line.gold);
  });

  it("a person may stop the count and go on with it, and begin it anew", async () => {
    app.links.count(RUN);
    app.links.stop(RUN);
    await until(() => !app.links.count(RUN).is_checking);
    const { checked, wrong } = app.links.count(RUN);
    expect(checked).toBeLessThan(wrong);
    app.links.goOn(RUN, false);
    await until(() => app.links.count(RUN).checked === wrong);
    app.links.goOn(RUN, true);
    expect(app.links.count(RUN).checked).toBeLessThan(wrong);
    await until(() => app.links.count(RUN).checked === wrong);
  });

  it("says in words that there is no such completion", () => {
    expect(() => app.links.check({ run_id: RUN, attempt: 1, seq: 1_000_000 })).toThrow(
      "There is no such completion.",
    );
  });
});
