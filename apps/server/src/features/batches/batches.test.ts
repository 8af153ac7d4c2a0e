import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Batch, BatchClip } from "@sightline/core/batches";
import { EMBODIED_R_SETTINGS, hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import { makeDataDir, spawnServer } from "../runs/testing/servers.ts";

const GOOD = ["cfr-30.mp4", "b-frames.mp4", "gif.gif", "vp8.webm", "two-frames.mp4", "open-gop.mp4"];
const BAD = ["empty.mp4", "no-index.mp4", "text.mp4"];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "sightline-batches-"));
  mkdirSync(join(root, "inner"));
  for (const name of GOOD) copyFileSync(getFixture(name), join(root, name));
  for (const name of BAD) copyFileSync(getFixture(name), join(root, "inner", name));
  cpSync(join(root, "gif.gif"), join(root, "inner", "gif again.gif"));
  writeFileSync(join(root, "notes.md"), "no video");
  symlinkSync(root, join(root, "inner", "round"));
  symlinkSync("/nowhere/clip.mp4", join(root, "inner", "lost.mp4"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A server's own list of a batch's clips, by name. */
async function listClips(client: Client, batch_id: string): Promise<Map<string, BatchClip>> {
  const clips = new Map<string, BatchClip>();
  await new Promise<void>((resolve, reject) => {
    const stream = client.batches.followClips.subscribe(
      { batch_id },
      {
        onData({ data }) {
          for (const clip of data) clips.set(clip.name, clip);
          stream.unsubscribe();
          resolve();
        },
        onError: reject,
      },
    );
  });
  return clips;
}

const ended = (client: Client, { batch_id }: Batch) =>
  waitFor(
    () => client.batches.get.query({ batch_id }),
    ({ state }) => state !== "working",
  );

describe("a server with a listed folder", () => {
  let server: TestServer;
  let client: Client;
  let folder_id: string;
  beforeEach(async () => {
    server = await startTestServer({ folders: [root] });
    client = await connect(server.url, loadInstallToken(server.app.dataDir));
    folder_id = (await client.clips.folders.query())[0]?.folder_id ?? "";
  });
  afterEach(() => server.close());

  const startFolder = (settings = SIGHTLINE_SETTINGS, path = "") =>
    client.batches.start.mutate({
      name: "",
      source: { kind: "folder", folder_id, path },
      clip_ids: [],
      settings,
    });

  test("works through a folder and the folders in it; what fails says why and what to do", async () => {
    const batch = await startFolder();
    expect(batch).toMatchObject({ state: "working", clips: 11, failed: 1, pace: null });
    const whole = await ended(client, batch);
    expect(whole).toMatchObject({ state: "done", waiting: 0, working: 0, failed: 4, problem: null });
    // The same bytes under two names are one clip: looked at once.
    expect(whole.done + whole.there).toBe(7);
    const clips = await listClips(client, batch.batch_id);
    for (const name of GOOD) {
      const clip = clips.get(name);
      expect(clip?.problem).toBeNull();
      const selection = await client.keyframes.get.query({ clip_id: clip?.clip_id ?? "" });
      expect(selection?.decisions.length).toBe(clip?.sampled);
      expect(selection?.decisions.filter(({ kept }) => kept).length).toBe(clip?.kept);
    }
    expect(clips.get("inner/gif again.gif")?.clip_id).toBe(clips.get("gif.gif")?.clip_id);
    expect(clips.get("inner/empty.mp4")).toMatchObject({ state: "failed", problem: "The file is empty." });
    expect(clips.get("inner/no-index.mp4")?.problem).toContain("moov");
    expect(clips.get("inner/text.mp4")?.problem).toContain("text file");
    expect(clips.get("inner/lost.mp4")?.problem).toContain("can't be opened");
    for (const { advice } of clips.values()) if (advice !== null) expect(advice).toMatch(/\.$/);
    const jobs = server.app.jobs.list().filter(({ kind }) => kind === "batch");
    expect(jobs).toMatchObject([{ state: "done", done: 11, total: 11 }]);
  });

  test("hands out the report as CSV and JSON", async () => {
    const batch = await startFolder(SIGHTLINE_SETTINGS, "inner");
    await ended(client, batch);
    const ask = (format: string) =>
      fetch(`${server.url}/media/batches/${batch.batch_id}/failures.${format}`, { headers: server.headers });
    const csv = await (await ask("csv")).text();
    expect(csv.split("\r\n")[0]).toBe("name,clip_id,problem,advice");
    expect(csv.split("\r\n")).toHaveLength(4 + 2);
    const json = (await (await ask("json")).json()) as { name: string }[];
    expect(json.map(({ name }) => name)).toEqual(["empty.mp4", "lost.mp4", "no-index.mp4", "text.mp4"]);
    const gone = await fetch(`${server.url}/media/batches/none/failures.csv`, { headers: server.headers });
    expect(gone.status).toBe(404);
  });

  test("what failed is tried again alone, and comes right once its cause is gone", async () => {
    const late = join(root, "inner", "lost.mp4");
    const broken = join(root, "inner", "empty.mp4");
    const batch = await startFolder(SIGHTLINE_SETTINGS, "inner");
    const first = await ended(client, batch);
    expect(first).toMatchObject({ failed: 4 });
    rmSync(late);
    copyFileSync(getFixture("vfr-gap.mp4"), late);
    copyFileSync(getFixture("odd-size.gif"), broken);
    try {
      const before = await listClips(client, batch.batch_id);
      const places = ["lost.mp4", "empty.mp4"].map((name) => before.get(name)?.place ?? -1);
      const again = await client.batches.retry.mutate({ batch_id: batch.batch_id, places });
      expect(again).toMatchObject({ state: "working", failed: 2 });
      const second = await ended(client, again);
      expect(second).toMatchObject({ state: "done", failed: 2, done: first.done + 2 });
      const after = await listClips(client, batch.batch_id);
      expect(after.get("gif again.gif")).toEqual(before.get("gif again.gif"));
    } finally {
      rmSync(late);
      symlinkSync("/nowhere/clip.mp4", late);
      copyFileSync(getFixture("empty.mp4"), broken);
    }
  });

  test("clips with key-frames of the same settings are there at once; other settings look anew", async () => {
    await ended(client, await startFolder());
    const all = { name: "again", source: { kind: "all" as const }, clip_ids: [] };
    const again = await client.batches.start.mutate({ ...all, settings: SIGHTLINE_SETTINGS });
    // Six clips that can be shown; three that were refused are in the library too.
    expect(again).toMatchObject({ clips: 9, there: 6 });
    expect(await ended(client, again)).toMatchObject({ there: 6, done: 0, failed: 3 });
    const settings = { ...SIGHTLINE_SETTINGS, threshold: 0.8 };
    const other = await client.batches.start.mutate({ ...all, settings });
    expect(other).toMatchObject({ there: 0, settings_hash: hashSettings(settings) });
    expect(await ended(client, other)).toMatchObject({ there: 0, done: 6, failed: 3 });
  });

  test("a cancelled one goes on with what is left, and does nothing twice", async () => {
    const settings = { ...EMBODIED_R_SETTINGS, threshold: 0.4 };
    const batch = await startFolder(settings);
    await waitFor(
      () => server.app.batches.get(batch.batch_id),
      ({ done }) => done >= 2,
    );
    await client.batches.cancel.mutate({ batch_id: batch.batch_id });
    const half = await ended(client, batch);
    expect(half).toMatchObject({ state: "cancelled", working: 0 });
    expect(half.waiting).toBeGreaterThan(0);
    const before = await listClips(client, batch.batch_id);
    await client.batches.resume.mutate({ batch_id: batch.batch_id });
    const whole = await ended(client, batch);
    expect(whole).toMatchObject({ state: "done", waiting: 0, failed: 4 });
    expect(whole.done + whole.there).toBe(7);
    const after = await listClips(client, batch.batch_id);
    for (const [name, clip] of before) if (clip.state === "done") expect(after.get(name)).toEqual(clip);
  });

  test("new clips of a folder are looked at under the batch's settings and no others", async () => {
    const settings = { ...SIGHTLINE_SETTINGS, threshold: 0.8 };
    const batch = await startFolder(settings);
    await ended(client, batch);
    const clip_id = (await listClips(client, batch.batch_id)).get("gif.gif")?.clip_id ?? "";
    expect(await client.keyframes.saved.query({ clip_id })).toEqual(settings);
    expect(await client.keyframes.get.query({ clip_id })).toBeNull();
    const jobs = server.app.jobs.list().filter(({ kind }) => kind === "keyframes");
    expect(jobs).toHaveLength(GOOD.length);
  });

  test("compares with other settings clip by clip, from what is stored", async () => {
    const batch = await startFolder();
    await ended(client, batch);
    const compare = async (against: typeof SIGHTLINE_SETTINGS) => {
      const parts = server.app.batches.compare(batch.batch_id, against, new AbortController().signal);
      const clips = [];
      for await (const part of parts) clips.push(...part.clips);
      return clips;
    };
    const same = await compare(SIGHTLINE_SETTINGS);
    expect(same).toHaveLength(11);
    expect(same.filter(({ agreement }) => agreement?.jaccard === 1)).toHaveLength(7);
    const strict = await compare({ ...SIGHTLINE_SETTINGS, threshold: 1, min_frames: 0 });
    for (const { agreement } of strict) {
      if (agreement !== null) expect(agreement.kept_b).toBeGreaterThanOrEqual(agreement.both);
    }
    // Another preset was never looked at: nothing is made up.
    expect((await compare(EMBODIED_R_SETTINGS)).every(({ agreement }) => agreement === null)).toBe(true);
  });

  test("refuses what leads out, what is empty, and settings that make no sense", async () => {
    await expect(startFolder(SIGHTLINE_SETTINGS, "../")).rejects.toThrow("outside");
    await expect(startFolder(SIGHTLINE_SETTINGS, "nowhere")).rejects.toThrow("can't be opened");
    const tag = { name: "", source: { kind: "tag" as const, tag: "none" }, clip_ids: [] };
    await expect(client.batches.start.mutate({ ...tag, settings: SIGHTLINE_SETTINGS })).rejects.toThrow(
      "no clip in the library with the tag",
    );
    const settings = { ...SIGHTLINE_SETTINGS, min_frames: 50, max_frames: 10 };
    await expect(startFolder(settings)).rejects.toThrow("fewest are more than the most");
    expect(await client.batches.list.query()).toEqual([]);
  });

  test("on a full disk it stops, says so, and with room again goes on", async () => {
    await ended(client, await startFolder());
    const sqlite = server.app.db.$client;
    const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.02 };
    const all = { name: "full", source: { kind: "all" as const }, clip_ids: [], settings };
    const batch = await client.batches.start.mutate(all);
    sqlite.pragma(`max_page_count = ${sqlite.pragma("page_count", { simple: true })}`);
    const half = await waitFor(
      () => client.batches.get.query({ batch_id: batch.batch_id }),
      ({ state }) => state === "failed",
    );
    expect(half.problem).toContain("room");
    sqlite.pragma("max_page_count = 1000000");
    await client.batches.resume.mutate({ batch_id: batch.batch_id });
    expect(await ended(client, batch)).toMatchObject({ state: "done", waiting: 0, working: 0, failed: 3 });
  });
});

test("killed with -9 in the middle, it goes on where it was: nothing lost, nothing twice", async () => {
  const { dataDir, remove } = makeDataDir("batch-kill");
  process.env.SIGHTLINE_FOLDERS = root;
  try {
    const first = await spawnServer(dataDir);
    const [folder] = await first.client.clips.folders.query();
    const { batch_id } = await first.client.batches.start.mutate({
      name: "killed",
      source: { kind: "folder", folder_id: folder?.folder_id ?? "", path: "" },
      clip_ids: [],
      settings: { ...SIGHTLINE_SETTINGS, interval_secs: 0.2 },
    });
    await waitFor(
      () => first.client.batches.get.query({ batch_id }),
      ({ done }) => done >= 2,
    );
    await first.kill();

    const second = await spawnServer(dataDir);
    const half = await listClips(second.client, batch_id);
    const whole = await waitFor(
      () => second.client.batches.get.query({ batch_id }),
      ({ state }) => state !== "working",
    );
    expect(whole).toMatchObject({ state: "done", clips: 11, waiting: 0, working: 0, failed: 4 });
    expect(whole.done + whole.there).toBe(7);
    const after = await listClips(second.client, batch_id);
    expect([...half.values()].filter(({ state }) => state === "done").length).toBeGreaterThanOrEqual(2);
    for (const [name, clip] of half) if (clip.state === "done") expect(after.get(name)).toEqual(clip);
    for (const { clip_id, state, sampled } of after.values()) {
      if (state !== "done" && state !== "there") continue;
      const settings = { ...SIGHTLINE_SETTINGS, interval_secs: 0.2 };
      const selection = await second.client.keyframes.get.query({ clip_id: clip_id ?? "", settings });
      const frames = selection?.decisions.map(({ frame }) => frame) ?? [];
      expect(frames).toHaveLength(sampled ?? -1);
      expect(new Set(frames).size).toBe(frames.length);
    }
    await second.kill();
  } finally {
    delete process.env.SIGHTLINE_FOLDERS;
    await remove();
  }
});
