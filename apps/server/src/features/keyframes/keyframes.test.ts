import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  decodeFeatures,
  EMBODIED_R_SETTINGS,
  type KeyFrameSettings,
  type PairEvidence,
  SIGHTLINE_SETTINGS,
} from "@sightline/core/keyframes";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../app.ts";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { writeClip } from "../../media/testing/write-clip.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { type Client, connect } from "../runs/testing/client.ts";

let server: TestServer;
let client: Client;
let scratch: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "sightline-keyframes-"));
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
});
afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Adds a file to the library and waits until it has been read. */
async function add(file: string, name: string): Promise<string> {
  const { library } = server.app.clips;
  const { clip } = await library.add({ path: file, name, move: false });
  await waitFor(
    () => library.get(clip.clip_id).state,
    (state) => state !== "reading",
  );
  return clip.clip_id;
}

const waitForSelection = (clip_id: string, settings?: KeyFrameSettings) =>
  waitFor(
    () => client.keyframes.get.query({ clip_id, ...(settings && { settings }) }),
    (selection) => selection !== null,
  ).then((selection) => {
    if (selection === null) throw new Error("waited for a selection");
    return selection;
  });

describe("a clip that was read", () => {
  let clip_id: string;
  beforeAll(async () => {
    clip_id = await add(getFixture("cfr-30.mp4"), "walk.mp4");
  });

  test("is looked at by itself under the default settings, and every sampled frame has its verdict", async () => {
    const selection = await waitForSelection(clip_id);
    const { time_secs } = await client.clips.sampleTable.query({ clip_id });
    expect(selection).toMatchObject({ clip_id, settings: SIGHTLINE_SETTINGS });
    expect(selection.decisions[0]).toMatchObject({ frame: 0, time_secs: 0, kept: true, rule: "first" });
    expect(selection.decisions.at(-1)).toMatchObject({ frame: time_secs.length - 1, kept: true });
    for (const { frame, time_secs: at, evidence } of selection.decisions) {
      expect(at).toBe(time_secs[frame]);
      if (frame > 0) expect(evidence).toMatchObject({ frame });
    }
    const jobs = server.app.jobs.list().filter((job) => job.clip_id === clip_id && job.kind === "keyframes");
    await waitFor(
      () => server.app.jobs.list().find(({ job_id }) => job_id === jobs[0]?.job_id)?.state,
      (state) => state === "done",
    );
  });

  test("is selected anew under another threshold without decoding, the same as from scratch", async () => {
    await waitForSelection(clip_id);
    const settings = { ...SIGHTLINE_SETTINGS, threshold: 0.9, min_frames: 2 };
    const selected = await client.keyframes.select.query({ clip_id, settings });
    expect(await client.keyframes.get.query({ clip_id, settings })).toBeNull();
    await client.keyframes.extract.mutate({ clip_id, settings });
    expect(await waitForSelection(clip_id, settings)).toEqual(selected);
  });

  test("can't be selected anew under settings that it was never looked at with", async () => {
    const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.37 };
    await expect(client.keyframes.select.query({ clip_id, settings })).rejects.toThrow(
      "Extract its key-frames first",
    );
  });

  test("hands its features and pairs to the browser", async () => {
    const { settings_hash, decisions } = await waitForSelection(clip_id);
    const ask = (kind: string, hash: string) =>
      fetch(`${server.url}/media/clips/${clip_id}/${kind}?settings_hash=${hash}`, {
        headers: server.headers,
      });
    const features = decodeFeatures(
      new Uint8Array(await (await ask("features", settings_hash)).arrayBuffer()),
    );
    expect(features.map(({ frame }) => frame)).toEqual(decisions.map(({ frame }) => frame));
    const pairs = (await (await ask("pairs", settings_hash)).json()) as PairEvidence[];
    for (const { evidence } of decisions) if (evidence) expect(pairs).toContainEqual(evidence);
    const unknown = await ask("features", "0123456789abcdef");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({ message: "This clip has no key-frames of these settings." });
    expect((await ask("features", "../../x")).status).toBe(404);
  });

  test("has both presets side by side", async () => {
    await client.keyframes.extract.mutate({ clip_id, settings: EMBODIED_R_SETTINGS });
    const released = await waitForSelection(clip_id, EMBODIED_R_SETTINGS);
    expect(released.settings_hash).not.toBe((await waitForSelection(clip_id)).settings_hash);
    expect(released.plane_width).toBe(320);
  });

  test("refuses settings that make no sense", async () => {
    for (const change of [{ threshold: 1.5 }, { interval_secs: 0 }, { min_frames: 9, max_frames: 8 }]) {
      const settings = { ...SIGHTLINE_SETTINGS, ...change };
      await expect(client.keyframes.extract.mutate({ clip_id, settings })).rejects.toThrow();
    }
    await expect(client.keyframes.get.query({ clip_id: "0".repeat(64) })).rejects.toThrow(
      "not in the library",
    );
  });
});

test("B46: one black frame is dropped by name; a flat clip says so and still has four key-frames", async () => {
  const walk = (i: number) => ({ kind: "slabs", seed: 3, x: 40 + 4 * i, y: 60 }) as const;
  const black = join(scratch, "black.mp4");
  writeClip(black, {
    pictures: Array.from({ length: 60 }, (_, i) => ({
      pts: i * 100,
      duration: 100,
      ordinal: null,
      scene: i === 30 ? ({ kind: "flat", luma: 16 } as const) : walk(i),
    })),
  });
  const first = await waitForSelection(await add(black, "black.mp4"));
  const dark = first.decisions.find(({ frame }) => frame === 30);
  expect(dark).toMatchObject({ kept: false, rule: "no_descriptors", features: 0, overlap: null });
  expect(first.decisions.find(({ frame }) => frame === 40)?.evidence?.reference).not.toBe(30);
  expect(first.note).toContain("1 of 7 sampled frames has too little detail");

  const flat = join(scratch, "flat.mp4");
  writeClip(flat, {
    pictures: Array.from({ length: 60 }, (_, i) => ({
      pts: i * 100,
      duration: 100,
      ordinal: null,
      scene: { kind: "flat", luma: 120 },
    })),
  });
  const clip_id = await add(flat, "flat.mp4");
  const second = await waitForSelection(clip_id);
  expect(second.decisions.filter(({ kept }) => kept)).toHaveLength(4);
  expect(second.note).toContain("None of the 7 sampled frames has enough detail to be compared.");
  await client.keyframes.extract.mutate({ clip_id, settings: EMBODIED_R_SETTINGS });
  const released = await waitForSelection(clip_id, EMBODIED_R_SETTINGS);
  expect(released.decisions.every(({ kept }) => kept)).toBe(true);
  expect(released.decisions[1]).toMatchObject({ rule: "no_descriptors" });
});

test("another threshold, clamp or gap decodes nothing: it works without the file", async () => {
  const clip_id = await add(getFixture("open-gop.mp4"), "gone.mp4");
  await waitForSelection(clip_id);
  const presets = [SIGHTLINE_SETTINGS, EMBODIED_R_SETTINGS];
  for (const settings of presets) {
    await client.keyframes.extract.mutate({ clip_id, settings });
    await waitForSelection(clip_id, settings);
  }
  rmSync(server.app.clips.library.getFile(clip_id));
  for (const preset of presets) {
    for (const change of [
      { threshold: 0.97 },
      { threshold: 0.02, min_frames: 2 },
      { min_frames: 9, max_frames: 9 },
      { gap_secs: 0.5 },
    ]) {
      const settings = { ...preset, ...change };
      const selected = await client.keyframes.select.query({ clip_id, settings });
      await client.keyframes.extract.mutate({ clip_id, settings });
      expect(await waitForSelection(clip_id, settings)).toEqual(selected);
    }
  }
  // Other planes are needed for another width or interval: that takes the file.
  const { job_id } = server.app.keyframes.extract(clip_id, { ...SIGHTLINE_SETTINGS, width: 100 });
  const state = await waitFor(
    () => server.app.jobs.list().find((job) => job.job_id === job_id)?.state,
    (now) => now !== "waiting" && now !== "running",
  );
  expect(state).toBe("failed");
});

test("every compared frame keeps its evidence: overlap both ways, matches, inliers, homography, rule", async () => {
  const clip_id = await add(getFixture("cfr-30.mp4"), "evidence.mp4");
  for (const settings of [SIGHTLINE_SETTINGS, EMBODIED_R_SETTINGS]) {
    await client.keyframes.extract.mutate({ clip_id, settings });
    const { decisions, plane_width, plane_height } = await waitForSelection(clip_id, settings);
    expect(plane_width).toBeGreaterThan(0);
    expect(plane_height).toBeGreaterThan(0);
    const compared = decisions.slice(1).map(({ evidence }) => evidence);
    expect(compared).not.toContain(null);
    const sound = compared.filter((evidence) => evidence?.failure === null);
    expect(sound.length).toBeGreaterThan(0);
    for (const evidence of sound) {
      expect(evidence?.homography).toHaveLength(9);
      expect(evidence?.inliers).toBeGreaterThan(0);
      expect(evidence?.matches).toBeGreaterThanOrEqual(evidence?.inliers ?? Number.NaN);
      expect(evidence?.overlap_forward).toBeGreaterThanOrEqual(0);
      // The released extractor refuses no homography; from the other side one that folds the view says nothing.
      if (settings.preset === "sightline") expect(evidence?.overlap_backward).toBeLessThanOrEqual(1);
      else expect(evidence).toHaveProperty("overlap_backward");
    }
  }
});

test("the field of view is read from a clip's turns, once; a clip without turns does not show it", async () => {
  const world = join(import.meta.dirname, "../../../../../fixtures/worlds");
  const file = join(world, "room-turns-4.mp4");
  const { clip } = await server.app.clips.library.add({ path: file, name: "turns.mp4", move: false });
  const turning = clip.clip_id;
  expect(await client.keyframes.fieldOfView.query({ clip_id: turning })).toBeNull();
  await waitForSelection(turning);
  const { field_of_view_deg } = JSON.parse(readFileSync(join(world, "room-turns-4.json"), "utf8")) as {
    field_of_view_deg: number;
  };
  const found = await client.keyframes.fieldOfView.query({ clip_id: turning });
  expect(found).toBeGreaterThan(field_of_view_deg - 2);
  expect(found).toBeLessThan(field_of_view_deg + 2);
  const { features } = server.app.keyframes.getEvidence(
    turning,
    (await waitForSelection(turning)).settings_hash,
  );
  rmSync(features);
  expect(await client.keyframes.fieldOfView.query({ clip_id: turning })).toBe(found);

  const sideways = await add(join(world, "room-sideways-2.mp4"), "sideways.mp4");
  await waitForSelection(sideways);
  expect(await client.keyframes.fieldOfView.query({ clip_id: sideways })).toBeNull();
});

test("B48: the last frame is decoded and offered, though it alone shows a new view", async () => {
  const file = join(scratch, "last.mp4");
  writeClip(file, {
    b_frames: 2,
    pictures: Array.from({ length: 25 }, (_, i) => ({
      pts: i * 40,
      duration: 40,
      ordinal: null,
      scene: { kind: "slabs", seed: i === 24 ? 8 : 2, x: 100, y: 60 },
    })),
  });
  const clip_id = await add(file, "last.mp4");
  const { decisions } = await waitForSelection(clip_id);
  expect((await client.clips.get.query({ clip_id })).frame_count).toBe(25);
  const last = decisions.at(-1);
  expect(last).toMatchObject({ frame: 24, kept: true });
  expect(last?.rule).not.toBe("last");
});

test("a cancelled extraction is not begun again by itself", async () => {
  const clip_id = await add(getFixture("ntsc-29.97.mp4"), "cancelled.mp4");
  await waitForSelection(clip_id);
  const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.05 };
  const { job_id } = server.app.keyframes.extract(clip_id, settings);
  server.app.jobs.cancel(job_id);
  await waitFor(
    () => server.app.jobs.list().find((job) => job.job_id === job_id)?.state,
    (state) => state === "cancelled",
  );
  expect(await client.keyframes.get.query({ clip_id, settings })).toBeNull();
});

test("a disk that takes nothing more ends the work in its job, and nothing else; afterwards it goes on", async () => {
  const clip_id = await add(getFixture("b-frames.mp4"), "full.mp4");
  await waitForSelection(clip_id);
  const settings = { ...SIGHTLINE_SETTINGS, threshold: 0.61 };
  const sqlite = server.app.db.$client;
  const { job_id } = server.app.keyframes.extract(clip_id, settings);
  sqlite.pragma("query_only = ON");
  try {
    const state = await waitFor(
      () => server.app.jobs.list().find((job) => job.job_id === job_id)?.state,
      (now) => now !== "waiting" && now !== "running",
    );
    expect(state).toBe("failed");
    // What is thrown outside of the job would end a server; here it would fail the test run.
    await sleep(50);
  } finally {
    sqlite.pragma("query_only = OFF");
  }
  await client.keyframes.extract.mutate({ clip_id, settings });
  expect((await waitForSelection(clip_id, settings)).settings).toEqual(settings);
});

test("what a server left unfinished, the next one on the folder finishes", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-keyframes-again-"));
  try {
    const log = pino({ level: "silent" });
    const file = join(scratch, "again.mp4");
    copyFileSync(getFixture("b-frames.mp4"), file);
    const first = await createApp({ dataDir, log });
    const { clip } = await first.clips.library.add({ path: file, name: "again.mp4", move: false });
    await waitFor(
      () => first.jobs.list().some(({ kind, state }) => kind === "keyframes" && state !== "done"),
      (isUnderWay) => isUnderWay,
    );
    await first.close();
    const second = await createApp({ dataDir, log });
    try {
      const selection = await waitFor(
        () => second.keyframes.get(clip.clip_id, SIGHTLINE_SETTINGS),
        (found) => found !== null,
      );
      expect(selection?.decisions.length).toBeGreaterThan(1);
    } finally {
      await second.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
