import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { waitFor } from "../../features/clips/testing/wait.ts";
import { hashFile } from "../../media/hash.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import type { CopyLine, FailureLine, Line, SelectionLine } from "./line.ts";

const ROOT = join(import.meta.dirname, "../../../../..");

let scratch: string;
let videos: string;
let out: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "sightline-cli-test-"));
  videos = join(scratch, "videos");
  out = join(scratch, "out.jsonl");
  mkdirSync(join(videos, "b"), { recursive: true });
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const put = (name: string, as = name) => copyFileSync(getFixture(name), join(videos, as));

/** The command as `pnpm keyframes` runs it. */
function start(args: readonly string[]): {
  child: ChildProcess;
  ended: Promise<{ code: number; said: string }>;
} {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "apps/server/src/cli/keyframes/main.ts", ...args],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, INIT_CWD: scratch, TMPDIR: scratch },
    },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (said += data));
  const ended = new Promise<{ code: number; said: string }>((resolve) =>
    child.once("close", (code) => resolve({ code: code ?? -1, said })),
  );
  return { child, ended };
}

const run = (...args: string[]) => start(args).ended;

const readLines = (file = out): Line[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((text) => JSON.parse(text) as Line);

describe("a folder of videos", () => {
  test("gives one line a video in the order of paths, with evidence and reasons, the same again", async () => {
    put("cfr-30.mp4", "b/walk.mp4");
    put("gif.gif", "Z.gif");
    put("damaged.mp4", "a.mp4");
    writeFileSync(join(videos, "readme.md"), "no video");
    const { code, said } = await run("videos", "--out", "out.jsonl");
    expect(said).toContain("3 videos in “videos”; 1 other file left aside");
    expect(said).toContain("3 clips done. The lines are in “out.jsonl”.");
    expect(said).not.toContain("\r");
    expect(code).toBe(0);
    const lines = readLines() as SelectionLine[];
    expect(lines.map(({ path }) => path)).toEqual(["Z.gif", "a.mp4", "b/walk.mp4"]);
    const walk = lines[2];
    expect(walk).toMatchObject({
      clip_id: await hashFile(getFixture("cfr-30.mp4")),
      settings: SIGHTLINE_SETTINGS,
      settings_hash: hashSettings(SIGHTLINE_SETTINGS),
      frame_count: 60,
      sampled: [0, 30, 59],
      problem: null,
    });
    expect(walk?.decisions[1]?.evidence?.matches).toBeGreaterThan(0);
    for (const { kept, reason } of walk?.decisions ?? [])
      expect(reason).toMatch(kept ? /^kept: / : /^dropped: /);
    expect(walk?.key_frames.map(({ frame }) => frame)).toEqual(
      walk?.decisions.filter(({ kept }) => kept).map(({ frame }) => frame),
    );
    expect(lines[1]?.problem).toMatch(/damaged|could be read/);

    await run("videos", "--out", "again.jsonl", "--jobs", "3");
    expect(readFileSync(join(scratch, "again.jsonl"), "utf8")).toBe(readFileSync(out, "utf8"));
  });

  test("tells what could not be looked at, ends with 1, and tries it again next time", async () => {
    put("empty.mp4");
    put("text.mp4");
    put("two-frames.mp4");
    symlinkSync("/nowhere/at/all.mp4", join(videos, "lost.mp4"));
    mkdirSync(join(videos, "folder.mp4"));
    const first = await run("videos", "--out", "out.jsonl");
    expect(first.code).toBe(1);
    expect(first.said).toContain("empty.mp4: The file is empty.");
    const failures = readLines().filter((line): line is FailureLine => "failure" in line);
    expect(failures.map(({ path }) => path)).toEqual(["empty.mp4", "lost.mp4", "text.mp4"]);
    expect(failures[1]).toMatchObject({ clip_id: null, failure: expect.stringContaining("not there") });

    rmSync(join(videos, "lost.mp4"));
    put("gif.gif", "lost.mp4");
    rmSync(join(videos, "empty.mp4"));
    const second = await run("videos", "--out", "out.jsonl");
    expect(second.code).toBe(1);
    expect(second.said).toContain("1 clip done, 1 there already, 1 could not be looked at");
    expect(readLines().map(({ path }) => path)).toEqual(["two-frames.mp4", "lost.mp4", "text.mp4"]);
  });

  test("a copy points to the first; links round in circles end", async () => {
    put("gif.gif", "b/one.gif");
    put("gif.gif", "c.gif");
    symlinkSync("one.gif", join(videos, "b", "two.gif"));
    symlinkSync(videos, join(videos, "b", "round"));
    symlinkSync("self", join(videos, "self"));
    mkdirSync(join(scratch, "videos elsewhere"));
    copyFileSync(getFixture("gif.gif"), join(scratch, "videos elsewhere", "three.gif"));
    symlinkSync(join(scratch, "videos elsewhere"), join(videos, "d"));
    const { code, said } = await run("videos", "--out", "out.jsonl", "--jobs", "4");
    expect(code).toBe(0);
    expect(said).toContain("1 of them lies outside this folder");
    expect(said).toContain("b/round: a link to a folder that is walked already");
    expect(said).toContain("1 clip done, 3 copies");
    const copies = readLines().filter((line): line is CopyLine => "same_as" in line);
    expect(copies.map(({ path, same_as }) => [path, same_as])).toEqual([
      ["b/two.gif", "b/one.gif"],
      ["c.gif", "b/one.gif"],
      ["d/three.gif", "b/one.gif"],
    ]);
    const again = await run("videos", "--out", "out.jsonl");
    expect(again.said).toContain("0 clips done, 4 there already");
    expect(readLines()).toHaveLength(4);
  });

  test("a copy of what failed fails as well, and both come right together", async () => {
    put("text.mp4", "a.mp4");
    put("text.mp4", "b.mp4");
    expect((await run("videos", "--out", "out.jsonl")).code).toBe(1);
    expect(readLines().map((line) => "failure" in line)).toEqual([true, true]);
    put("gif.gif", "a.mp4");
    put("gif.gif", "b.mp4");
    expect((await run("videos", "--out", "out.jsonl")).code).toBe(0);
    expect(readLines()).toMatchObject([
      { path: "a.mp4", problem: null },
      { path: "b.mp4", same_as: "a.mp4" },
    ]);
  });

  test("other settings are done anew beside the old lines", async () => {
    put("cfr-30.mp4");
    await run("videos", "--out", "out.jsonl");
    const args = ["videos", "--out", "out.jsonl", "--threshold", "0.9", "--interval", "0.5"];
    expect((await run(...args)).said).toContain("1 clip done.");
    expect((await run(...args)).said).toContain("0 clips done, 1 there already");
    expect((await run("videos", "--out", "out.jsonl", "--preset", "embodied-r")).said).toContain(
      "1 clip done.",
    );
    const lines = readLines() as SelectionLine[];
    expect(new Set(lines.map(({ settings_hash }) => settings_hash)).size).toBe(3);
    expect(lines[1]?.settings).toMatchObject({ threshold: 0.9, interval_secs: 0.5 });
  });
});

describe("going on", () => {
  const names = [
    "cfr-30.mp4",
    "b-frames.mp4",
    "open-gop.mp4",
    "ntsc-29.97.mp4",
    "intra-refresh.mp4",
    "vp9.webm",
  ];

  test.each(["SIGINT", "SIGKILL"] as const)(
    "%s in the middle: the file is whole, and the next run adds the rest",
    async (signal) => {
      for (const name of names) put(name);
      const args = ["videos", "--out", "out.jsonl", "--jobs", "1", "--interval", "0.05"];
      const { child, ended } = start(args);
      await waitFor(
        () => readdirSync(scratch).includes("out.jsonl") && readFileSync(out, "utf8").split("\n").length > 2,
        (isUnderWay) => isUnderWay,
      );
      child.kill(signal);
      const { code, said } = await ended;
      if (signal === "SIGINT") {
        expect(code).toBe(130);
        expect(said).toContain("run the same command to go on");
      }
      const half = readLines();
      expect(half.length).toBeGreaterThanOrEqual(2);
      expect(half.length).toBeLessThan(names.length);
      expect(half.some((line) => "failure" in line)).toBe(false);

      const second = await run(...args);
      expect(second.code).toBe(0);
      expect(second.said).toContain(`${half.length} there already`);
      const whole = readLines();
      expect(whole.slice(0, half.length)).toEqual(half);
      expect(whole.map(({ path }) => path)).toEqual([...names].sort());
    },
  );

  test("a second command on the same file waits for nothing and harms nothing", async () => {
    for (const name of names) put(name);
    const args = ["videos", "--out", "out.jsonl", "--jobs", "1", "--interval", "0.05"];
    const first = start(args);
    await waitFor(
      () => readdirSync(scratch).includes("out.jsonl"),
      (isUnderWay) => isUnderWay,
    );
    // Held in the middle of its work, so that it has not ended when the second one asks.
    first.child.kill("SIGSTOP");
    symlinkSync("out.jsonl", join(scratch, "link.jsonl"));
    const second = await run("videos", "--out", "link.jsonl", "--preset", "embodied-r");
    expect(second.said).toContain("Another pnpm keyframes is writing “out.jsonl”");
    expect(second.code).toBe(2);
    first.child.kill("SIGKILL");
    await first.ended;
    expect((await run(...args)).code).toBe(0);
    expect(readLines().map(({ path }) => path)).toEqual([...names].sort());
    expect(readdirSync(scratch).filter((name) => name.includes("jsonl"))).toEqual([
      "link.jsonl",
      "out.jsonl",
    ]);
  });

  test("a torn last line is dropped and done again", async () => {
    put("gif.gif");
    put("two-frames.mp4");
    await run("videos", "--out", "out.jsonl");
    const whole = readFileSync(out, "utf8");
    writeFileSync(out, whole.slice(0, -40));
    const { code, said } = await run("videos", "--out", "out.jsonl");
    expect(code).toBe(0);
    expect(said).toContain("1 clip done, 1 there already");
    expect(readFileSync(out, "utf8")).toBe(whole);
  });
});

describe("what can't be done ends with 2 and says why", () => {
  test.each([
    [["videos"], "--out FILE"],
    [[], "Name the folder"],
    [["nowhere", "--out", "out.jsonl"], "is no folder"],
    [["videos", "--out", "out.jsonl", "--threshold", "2"], "from 0 to 1, not “2”"],
    [["videos", "--out", "out.jsonl", "--interval", ""], "seconds from 0.01 to 3600"],
    [["videos", "--out", "out.jsonl", "--preset", "best"], "sightline or embodied-r"],
    [["videos", "--out", "out.jsonl", "--jobs", "0"], "from 1 to 64"],
    [["videos", "--out", "out.jsonl", "--fast"], "lists the options"],
    [["videos", "--out", "out.jsonl"], "There is no video in"],
  ])("%j", async (args, words) => {
    const { code, said } = await run(...args);
    expect(said).toContain(words);
    expect(said).not.toContain("    at ");
    expect(code).toBe(2);
  });

  test("a file that something else wrote is left as it is", async () => {
    put("gif.gif");
    writeFileSync(out, "dear diary\n");
    const { code, said } = await run("videos", "--out", "out.jsonl");
    expect(code).toBe(2);
    expect(said).toContain("line 1 is something else");
    expect(readFileSync(out, "utf8")).toBe("dear diary\n");
  });

  test.each([
    ["videos", "is a folder"],
    ["none/out.jsonl", "its folder is not there"],
    ["/proc/version", "can't be written"],
    ["/dev/full", "no room left on the disk"],
  ])("out at %s", async (where, words) => {
    put("gif.gif");
    const { code, said } = await run("videos", "--out", where);
    expect(said).toMatch(new RegExp(words));
    expect(said).not.toContain("    at ");
    expect(code).toBe(2);
  });

  test("--help says what a line holds and what it ends with", async () => {
    const { code, said } = await run("--help");
    expect(code).toBe(0);
    for (const word of ["--jobs N", "same_as", "Ends with 0"]) expect(said).toContain(word);
  });
});

test("a last line without its end is not taken for one", async () => {
  put("gif.gif");
  appendFileSync(out, '{"path":"x"');
  const { code } = await run("videos", "--out", "out.jsonl");
  expect(code).toBe(0);
  expect(readLines()).toHaveLength(1);
});
