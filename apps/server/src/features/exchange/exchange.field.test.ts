import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeFrames } from "@sightline/core/exchange";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../app.ts";
import { findShared } from "../../field/shared.ts";
import { findBrowserStart } from "../../media/playback.ts";
import { scan } from "../../media/scan.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { readFiles } from "./read-files.ts";

const shared = findShared();
const data = join(shared ?? "", "data");

if (shared === null)
  console.warn("SKIPPED: exports of real clips; SIGHTLINE_SHARED names no folder that exists.");

describe.skipIf(shared === null)("handed files", () => {
  let app: Awaited<ReturnType<typeof createApp>>;
  let scratch: string;
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), "sightline-exchange-field-"));
    app = await createApp({ dataDir: join(scratch, "data"), log: pino({ level: "silent" }) });
  });
  afterAll(async () => {
    await app.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  test.each([
    "AerialVLN_0_30BUDKLTXMTIKYKFIPPOXCMISXQE5S.mp4",
    "gnm_nate_walking.mp4",
    "edge/mediabunny_cursed-vfr.mp4",
    "edge/decord_video_270.mov",
  ])(
    "S01, S02: %s is exported as a video that browsers play, and comes back frame by frame",
    async (path) => {
      const { library } = app.clips;
      const { clip } = await library.add({ path: join(data, "videos", path), name: path, move: false });
      const { clip_id } = clip;
      await waitFor(
        () => app.keyframes.getSaved(clip_id),
        (saved) => saved !== null,
      );
      const { export_id, job } = app.exchange.exports.start([{ clip_id }], "released");
      await waitFor(
        () => app.jobs.list().find(({ job_id }) => job_id === job.job_id)?.state,
        (state) => state === "done",
      );
      const { file, name } = app.exchange.exports.getFile(export_id);
      const own = mkdtempSync(join(scratch, "export-"));
      const found = await readFiles([{ path: name, file }], own);
      expect(found).toMatchObject({ faults: [], videos: [], remarks: [] });
      const [read] = found.read[0]?.keyframes.clips ?? [];
      if (read === undefined) throw new Error("nothing was read");
      const time_secs = Array.from(library.getFrames(clip_id).time_secs);
      const { frames } = placeFrames(read, { clip_id, name: clip.name, time_secs }, null);
      const [entry] = app.exchange.exports.plan([{ clip_id }]).entries;
      expect(frames).toHaveLength(entry?.key_frames ?? -1);

      // The video is the archive's first file.
      const video = join(own, "zip-0", "0");
      const made = await scan(video, { interval_secs: 1 });
      expect([...made.index.time_secs]).toEqual(frames.map((_, at) => at));
      expect(made.facts).toMatchObject({ codec: "h264", rotation: 0, pixel_aspect: 1 });
      expect(await findBrowserStart(video, made.facts, made.index, () => {})).not.toBeNull();
    },
  );

  test("S02: a key-frame video in MPEG-4 Part 2 without a word beside it has lost its indices", async () => {
    const video = { path: "inter/video_keyframe/walk.mp4", file: join(data, "videos/gnm_nate_walking.mp4") };
    const rows = join(data, "triples/embodied_r_fork/original_test_data.json");
    const found = await readFiles(
      [video, { path: "inter/processed_test_data.json", file: rows }],
      join(scratch, "lost"),
    );
    expect(found).toEqual({
      read: [],
      faults: [],
      videos: [video],
      remarks: [expect.stringContaining("It does not say which frames these are")],
    });
  });

  test("files of other kinds are refused in a sentence, none crashes", async () => {
    const others = [
      "benchmarks/urbanvideo/MCQ.parquet",
      "benchmarks/egoschema/500questions.jsonl",
      "logs/wandb_export_overall.csv",
      "logs/custom_grpo_lambda1.jsonl",
      "logs/trl_grpo_1000steps_trainer_state.json",
      "traces/vlm_mcq_eval_bare_letter.md",
      "MANIFEST.md",
    ];
    const cut = join(scratch, "cut.json");
    const whole = readFileSync(join(data, "logs/swift3_sft_args.json"), "utf8");
    writeFileSync(cut, whole.slice(0, whole.length / 2));
    const handed = [
      ...others.map((path) => ({ path, file: join(data, path) })),
      { path: "cut.json", file: cut },
    ];
    const found = await readFiles(handed, join(scratch, "others"));
    expect(found.read).toEqual([]);
    expect(found.faults.map(({ source }) => source)).toEqual([...others, "cut.json"]);
    for (const { problem } of found.faults) expect(problem).toMatch(/^[A-Zl].*[.?]$/);
  });
});
