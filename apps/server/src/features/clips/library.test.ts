import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import { upload } from "./testing/tus.ts";
import { waitFor } from "./testing/wait.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
});
afterAll(() => server.close());

const bytesOf = (name: string) => readFileSync(getFixture(name));
const idOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Adds a fixture and waits until it has been read. */
async function add(fixture: string, name = fixture) {
  const answer = await upload(server, name, bytesOf(fixture));
  const clip_id = answer.headers.get("x-clip-id") ?? "";
  const clip = await waitFor(
    () => client.clips.get.query({ clip_id }),
    ({ state }) => state !== "reading",
  );
  return { answer, clip };
}

test("a clip is known by its bytes, read, and found in the list with what it is", async () => {
  const { clip } = await add("rotated-90.mp4", "hall way ü.mp4");
  expect(clip).toMatchObject({
    clip_id: idOf(bytesOf("rotated-90.mp4")),
    name: "hall way ü.mp4",
    state: "ready",
    problem: null,
    codec: "h264",
    rotation: 90,
    coded_width: 320,
    coded_height: 256,
    display_width: 256,
    display_height: 320,
    frame_count: 20,
    duration_secs: 2,
    playback: "original",
  });
  expect((await client.clips.list.query({})).map(({ clip_id }) => clip_id)).toContain(clip.clip_id);
  const table = await client.clips.sampleTable.query({ clip_id: clip.clip_id });
  expect(table.time_secs.length).toBe(20);
  expect(table.time_secs[19]).toBeCloseTo(1.9, 9);
});

test("the same bytes twice are one clip, under whatever name, and that is said", async () => {
  const { clip } = await add("vfr-gap.mp4", "first name.mp4");
  const { answer } = await add("vfr-gap.mp4", "second name.mp4");
  expect(answer.headers.get("x-clip-duplicate")).toBe("1");
  expect(decodeURIComponent(answer.headers.get("x-clip-note") ?? "")).toBe(
    "Already in the library as “first name.mp4”.",
  );
  const same = (await client.clips.list.query({})).filter(({ clip_id }) => clip_id === clip.clip_id);
  expect(same.map(({ name }) => name)).toEqual(["first name.mp4"]);
});

test("the same bytes sent several times at once are one clip", async () => {
  const bytes = bytesOf("dropped-frames.mp4");
  const answers = await Promise.all([1, 2, 3].map((n) => upload(server, `copy ${n}.mp4`, bytes)));
  expect(new Set(answers.map(({ headers }) => headers.get("x-clip-id")))).toEqual(new Set([idOf(bytes)]));
  expect(answers.map(({ headers }) => headers.get("x-clip-duplicate")).sort()).toEqual(["0", "1", "1"]);
});

test("S02: a key-frame video under its source's name is a clip of its own, and plays through a proxy", async () => {
  const source = await add("cfr-30.mp4", "walk.mp4");
  const keys = await add("mpeg4-part2.mp4", "walk.mp4");
  expect(keys.clip.clip_id).not.toBe(source.clip.clip_id);
  expect(keys.clip.codec).toBe("mpeg4");
  const named = (await client.clips.list.query({})).filter(({ name }) => name === "walk.mp4");
  expect(named.length).toBe(2);
  const playable = await waitFor(
    () => client.clips.get.query({ clip_id: keys.clip.clip_id }),
    ({ playback }) => playback !== "none",
  );
  expect(playable.playback).toBe("proxy");
});

test("S01: an HEVC clip gets a copy that a browser plays, with the same frames", async () => {
  const { clip } = await add("hevc.mp4");
  expect(clip).toMatchObject({ state: "ready", codec: "hevc" });
  await waitFor(
    () => client.clips.get.query({ clip_id: clip.clip_id }),
    ({ playback }) => playback === "proxy",
  );
  const response = await fetch(`${server.url}/media/clips/${clip.clip_id}/proxy`, {
    headers: server.headers,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("video/mp4");
  expect((await client.clips.sampleTable.query({ clip_id: clip.clip_id })).first_time_secs).toBe(0);
});

test("a proxy can be asked for where the browser sees other frames", async () => {
  const { clip } = await add("late-start.mkv");
  const id = { clip_id: clip.clip_id };
  expect(clip.playback).toBe("original");
  expect((await client.clips.sampleTable.query(id)).first_time_secs).toBeCloseTo(1.48, 9);
  await client.clips.makeProxy.mutate(id);
  await waitFor(
    () => client.clips.get.query(id),
    ({ playback }) => playback === "proxy",
  );
  expect((await client.clips.sampleTable.query(id)).first_time_secs).toBe(0);
  await client.clips.makeProxy.mutate(id);
  expect((await client.clips.get.query(id)).playback).toBe("proxy");
});

test("what can't be used says so, what is damaged is kept in part", async () => {
  const text = await add("text.mp4");
  expect(text.clip).toMatchObject({
    state: "refused",
    problem: "This is a text file, not a video.",
    frame_count: null,
    playback: "none",
  });
  await expect(client.clips.sampleTable.query({ clip_id: text.clip.clip_id })).rejects.toThrow("text file");
  const cut = await add("truncated.mp4");
  expect(cut.clip.state).toBe("partial");
  expect(cut.clip.problem).toMatch(/^\d+ of 25 frames could be read; the file was cut off\.$/);
});

test("odd names become one line, and none becomes a path", async () => {
  const { clip } = await add("slow-0.5.mp4", "../../etc/\u202Epass\nwd.mp4");
  expect(clip.name).toBe("passwd.mp4");
  const { clip: nameless } = await add("two-frames.mp4", "");
  expect(nameless.name).toBe("Unnamed clip");
});

test("rename, tags, trash and restore can be taken back, all the way", async () => {
  const { clip } = await add("b-frames.mp4", "one.mp4");
  const id = { clip_id: clip.clip_id };
  const ids = { clip_ids: [clip.clip_id] };
  const look = async () => {
    const { name, tags, trashed_secs } = await client.clips.get.query(id);
    return [name, tags.join(","), trashed_secs === null ? "kept" : "trashed"].join(" ");
  };
  await client.clips.rename.mutate({ ...id, name: "two.mp4" });
  await client.clips.setTags.mutate({ ...id, tags: ["indoor", " night  walk ", "indoor"] });
  await client.clips.trash.mutate(ids);
  expect(await look()).toBe("two.mp4 indoor,night walk trashed");
  expect((await client.clips.list.query({ trash: true })).map(({ clip_id }) => clip_id)).toEqual(
    ids.clip_ids,
  );
  expect((await client.clips.list.query({})).map(({ clip_id }) => clip_id)).not.toContain(clip.clip_id);
  await client.clips.restore.mutate(ids);

  expect(await client.clips.undo.mutate()).toBe("“two.mp4” went back to the trash.");
  expect(await look()).toBe("two.mp4 indoor,night walk trashed");
  expect(await client.clips.undo.mutate()).toBe("“two.mp4” came back from the trash.");
  expect(await client.clips.undo.mutate()).toBe("“two.mp4” has its tags back.");
  expect(await look()).toBe("two.mp4  kept");
  await client.clips.rename.mutate({ ...id, name: "three.mp4" });
  expect(await client.clips.undo.mutate()).toBe("“two.mp4” has its name back.");
  expect(await client.clips.undo.mutate()).toBe("“one.mp4” has its name back.");
  expect(await look()).toBe("one.mp4  kept");
  expect(await client.clips.undo.mutate()).toBe("“one.mp4” went back to the trash.");
  expect(await look()).toBe("one.mp4  trashed");

  const { answer } = await add("b-frames.mp4", "again.mp4");
  expect(decodeURIComponent(answer.headers.get("x-clip-note") ?? "")).toBe(
    "Was in the trash as “one.mp4”; it is back in the library.",
  );
  expect(await look()).toBe("one.mp4  kept");
});

test("a field of view is set, refused where no lens has it, and taken back", async () => {
  const { clip } = await add("two-frames.mp4", "lens.mp4");
  const { clip_id } = clip;
  const look = async () => (await client.clips.get.query({ clip_id })).field_of_view_deg;
  expect(await look()).toBeNull();
  await client.clips.setFieldOfView.mutate({ clip_id, field_of_view_deg: 84 });
  await client.clips.setFieldOfView.mutate({ clip_id, field_of_view_deg: 62.5 });
  expect(await look()).toBe(62.5);
  for (const field_of_view_deg of [0, 19.9, 151]) {
    await expect(client.clips.setFieldOfView.mutate({ clip_id, field_of_view_deg })).rejects.toThrow();
  }
  expect(await client.clips.undo.mutate()).toBe(`“${clip.name}” has its field of view back.`);
  expect(await look()).toBe(84);
  expect(await client.clips.undo.mutate()).toBe(`“${clip.name}” has its field of view back.`);
  expect(await look()).toBeNull();
});

test("many clips go to the trash as one change; what changes nothing is no change", async () => {
  const kept = (await client.clips.list.query({})).map(({ clip_id }) => clip_id);
  await client.clips.trash.mutate({ clip_ids: kept });
  await client.clips.trash.mutate({ clip_ids: kept.slice(0, 1) });
  expect(await client.clips.list.query({})).toEqual([]);
  expect(await client.clips.undo.mutate()).toBe(`${kept.length} clips came back from the trash.`);
  expect((await client.clips.list.query({})).length).toBe(kept.length);
});

test("the history only grows, and every change is in it", () => {
  const sqlite = server.app.db.$client;
  const rows = sqlite.prepare("SELECT kind, undoes FROM library_changes ORDER BY change_id").all() as {
    kind: string;
    undoes: number | null;
  }[];
  expect(rows.filter(({ kind }) => kind === "undo").every(({ undoes }) => undoes !== null)).toBe(true);
  expect(() => sqlite.prepare("DELETE FROM library_changes").run()).toThrow("append-only");
  expect(() => sqlite.prepare("UPDATE library_changes SET kind = 'add'").run()).toThrow("append-only");
});

describe("emptying the trash", () => {
  test("deletes the videos of what is in it, and nothing that refers to them", async () => {
    const { clip } = await add("open-gop.mp4", "gone.mp4");
    const { clip: kept } = await add("ntsc-29.97.mp4", "kept.mp4");
    const { clip_id } = clip;
    const { library } = server.app.clips;
    const saved = await waitFor(
      () => server.app.keyframes.getSaved(clip_id),
      (settings) => settings !== null,
    );
    const file = library.getFile(clip_id);
    const table = await client.clips.sampleTable.query({ clip_id });
    await client.clips.trash.mutate({ clip_ids: [clip_id] });
    const weighed = await client.clips.weighTrash.query();
    expect(weighed.clip_ids).toContain(clip_id);
    expect(weighed.bytes).toBeGreaterThanOrEqual(clip.bytes);

    expect(await client.clips.emptyTrash.mutate({ clip_ids: [clip_id, kept.clip_id] })).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(library.getFile(kept.clip_id))).toBe(true);
    const listed = [
      await client.clips.list.query({ trash: true }),
      await client.clips.list.query({ trash: false }),
    ];
    expect(listed.flat().map((one) => one.clip_id)).not.toContain(clip_id);
    expect(await client.clips.emptyTrash.mutate({ clip_ids: [clip_id] })).toBe(0);

    expect(await client.clips.get.query({ clip_id })).toMatchObject({ name: "gone.mp4", playback: "none" });
    expect(await client.clips.sampleTable.query({ clip_id })).toEqual(table);
    expect(server.app.keyframes.getSaved(clip_id)).toEqual(saved);
    const get = (path: string) =>
      fetch(`${server.url}/media/clips/${clip_id}/${path}`, { headers: server.headers });
    expect((await get("frames/0.jpg")).status).toBe(200);
    const original = await get("original");
    expect(original.status).toBe(412);
    expect(await original.json()).toEqual({ message: expect.stringContaining("deleted with the trash") });

    // What was deleted for good is not brought back by an undo, nor by a word.
    await expect(client.clips.restore.mutate({ clip_ids: [clip_id] })).rejects.toThrow("Add the file again");
    expect(await client.clips.undo.mutate()).toBe("“kept.mp4” went back to the trash.");
    await client.clips.undo.mutate();
    expect((await client.clips.get.query({ clip_id })).trashed_secs).not.toBeNull();
    await client.clips.restore.mutate({ clip_ids: [kept.clip_id] });

    const { answer, clip: back } = await add("open-gop.mp4", "again.mp4");
    expect(decodeURIComponent(answer.headers.get("x-clip-note") ?? "")).toContain(
      "it is back in the library",
    );
    expect(back).toMatchObject({ name: "gone.mp4", state: "ready", trashed_secs: null, emptied_secs: null });
    expect(back.playback).toBe("original");
    expect(existsSync(file)).toBe(true);
  });
});
