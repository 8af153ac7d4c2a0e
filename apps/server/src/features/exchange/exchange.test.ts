import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExportEntry, type ImportPreview, parseJson } from "@sightline/core/exchange";
import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { scan } from "../../media/scan.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import { unpackZip, writeZip } from "./zip.ts";

const SETTINGS = hashSettings(SIGHTLINE_SETTINGS);
const FORMATS = ["csv", "cvat", "label-studio", "fiftyone", "released"] as const;
type Format = (typeof FORMATS)[number];

let server: TestServer;
let client: Client;
let scratch: string;
/** A clip of an odd rate, one of 30 a second, one that lies on its side. */
let clips: string[];

async function add(file: string, name: string): Promise<string> {
  const { library } = server.app.clips;
  const { clip } = await library.add({ path: file, name, move: false });
  await waitFor(
    () => server.app.keyframes.getSaved(clip.clip_id),
    (saved) => saved !== null,
  );
  return clip.clip_id;
}

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "sightline-exchange-"));
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
  clips = [
    await add(getFixture("ntsc-29.97.mp4"), "=SUM(A1),weg & “b”.mp4"),
    await add(getFixture("cfr-30.mp4"), "walk.mp4"),
    await add(getFixture("rotated-90.mp4"), "walk.MP4"),
  ];
});
afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
});

const fetchExport = (export_id: string, method = "GET") =>
  fetch(`${server.url}/exchange/exports/${export_id}`, { method, headers: server.headers });

/** Exports and fetches; waits for the job. */
async function exportAs(
  format: Format,
  clip_ids: readonly string[],
): Promise<{ name: string; bytes: Buffer }> {
  const choices = clip_ids.map((clip_id) => ({ clip_id, settings_hash: SETTINGS }));
  const { export_id, name, job } = await client.exchange.start.mutate({ clips: choices, format });
  const ended = await waitFor(
    () => server.app.jobs.list().find(({ job_id }) => job_id === job.job_id),
    (one) => one?.state !== "waiting" && one?.state !== "running",
  );
  expect(ended).toMatchObject({ state: "done", problem: null });
  expect(ended?.done).toBe(ended?.total);
  const response = await fetchExport(export_id);
  expect(response.status).toBe(200);
  return { name, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function hand(files: Readonly<Record<string, Uint8Array | string>>, import_id = randomUUID()) {
  for (const [path, body] of Object.entries(files)) {
    const response = await fetch(
      `${server.url}/exchange/imports/${import_id}/files?path=${encodeURIComponent(path)}`,
      {
        method: "POST",
        headers: { ...server.headers, "content-type": "application/offset+octet-stream" },
        body: typeof body === "string" ? body : new Uint8Array(body),
      },
    );
    expect(await response.json()).toEqual({ taken: true });
  }
  return import_id;
}

const preview = async (files: Parameters<typeof hand>[0], wish: { clip_id?: string; base?: 0 | 1 } = {}) =>
  client.exchange.preview.query({ import_id: await hand(files), ...wish });

const versionsOf = ({ entries }: ImportPreview) =>
  Object.fromEntries(entries.map(({ clip_id, version }) => [clip_id, version]));

const listFrames = (clip_id: string) =>
  server.app.decisions.getVersion(clip_id, SETTINGS).key_frames.map(({ frame }) => frame);

const getVersion = (clip_id: string) => server.app.decisions.getVersion(clip_id, SETTINGS).version;

function decide(clip_id: string, decided: Parameters<Client["decisions"]["decide"]["mutate"]>[0]["decided"]) {
  return client.decisions.decide.mutate({
    decision_id: randomUUID(),
    clip_id,
    settings_hash: SETTINGS,
    decided,
  });
}

/** Frames that are neither the first nor key-frames. */
function findOther(clip_id: string): number {
  const kept = new Set(listFrames(clip_id));
  const { time_secs } = server.app.clips.library.getFrames(clip_id);
  const free = [...time_secs.keys()].find((frame) => frame > 1 && !kept.has(frame));
  if (free === undefined) throw new Error("no frame is free");
  return free;
}

describe("a plan", () => {
  test("says which version of how many key-frames, and what has none", async () => {
    const [first = ""] = clips;
    await decide(first, { kind: "add", frame: findOther(first) });
    const plan = await client.exchange.plan.query({ clips: [{ clip_id: first }] });
    expect(plan).toEqual({
      entries: [
        {
          clip_id: first,
          clip_name: "=SUM(A1),weg & “b”.mp4",
          settings_hash: SETTINGS,
          version: 1,
          key_frames: listFrames(first).length,
          described_questions: 0,
        },
      ] satisfies ExportEntry[],
      left_out: [],
    });
    const strange = await client.exchange.plan.query({
      clips: [{ clip_id: first, settings_hash: "0".repeat(16) }],
    });
    expect(strange.entries).toEqual([]);
    expect(strange.left_out).toMatchObject([{ reason: "It has no saved key-frames yet." }]);
  });
});

describe.each(FORMATS)("%s", (format) => {
  test("exported and imported again changes nothing; changed meanwhile it brings all back, and is taken back", async () => {
    const [clip_id = "", other = ""] = clips;
    const { name, bytes } = await exportAs(format, [clip_id, other]);
    const before = [listFrames(clip_id), listFrames(other)];

    const unchanged = await preview({ [name]: bytes });
    expect(unchanged).toMatchObject({ faults: [], lost: [] });
    expect(unchanged.entries.map(({ added, dropped, same }) => ({ added, dropped, same }))).toEqual(
      before.map((same) => ({ added: [], dropped: [], same })),
    );
    for (const { base, base_from, file_version, version } of unchanged.entries) {
      expect(base).toBe(format === "label-studio" || format === "fiftyone" ? 1 : 0);
      expect(base_from).toBe("file");
      expect(file_version).toBe(version);
    }
    const nothing = await client.exchange.import.mutate({
      import_id: unchanged.import_id,
      versions: versionsOf(unchanged),
    });
    expect(nothing).toEqual({ made: [], videos: 0 });

    const added = findOther(clip_id);
    const dropped = before[0]?.at(-1) ?? 0;
    await decide(clip_id, { kind: "add", frame: added });
    await decide(clip_id, { kind: "drop", frame: dropped });
    const changed = listFrames(clip_id);
    const shown = await preview({ [name]: bytes });
    expect(shown.entries[0]).toMatchObject({ added: [dropped], dropped: [added] });
    // Looking changes nothing.
    expect(listFrames(clip_id)).toEqual(changed);

    const wish = { import_id: shown.import_id, versions: versionsOf(shown) };
    const { made } = await client.exchange.import.mutate(wish);
    expect(made).toHaveLength(1);
    expect(listFrames(clip_id)).toEqual(before[0]);
    await client.exchange.undo.mutate({ made });
    expect(listFrames(clip_id)).toEqual(changed);
    await expect(client.exchange.import.mutate(wish)).rejects.toThrow("were changed meanwhile");
    expect(listFrames(clip_id)).toEqual(changed);
  });
});

test.each(FORMATS)(
  "%s carries what people called the ways, and takes it back with the frames",
  async (format) => {
    const [, , clip_id = ""] = clips;
    const frames = listFrames(clip_id);
    const [from_frame = 0, frame = 0] = frames;
    const called = () =>
      server.app.decisions.getVersion(clip_id, SETTINGS).key_frames[1]?.action?.action ?? null;
    const way = { frame, from_frame, said_by: "geometry", said_action: null };
    await decide(clip_id, { kind: "action_wrong", ...way, right_action: "rotate left" });
    const { name, bytes } = await exportAs(format, [clip_id]);
    expect((await preview({ [name]: bytes })).entries).toMatchObject([
      { added: [], dropped: [], actions: [] },
    ]);

    await decide(clip_id, { kind: "action_wrong", ...way, right_action: "move backward" });
    const shown = await preview({ [name]: bytes });
    expect(shown.entries).toMatchObject([{ added: [], dropped: [], actions: [frame] }]);
    const { made } = await client.exchange.import.mutate({
      import_id: shown.import_id,
      versions: versionsOf(shown),
    });
    expect(called()).toBe("rotate left");
    await client.exchange.undo.mutate({ made });
    expect(called()).toBe("move backward");

    // Between other key-frames it was another way.
    const between = findOther(clip_id);
    expect(between).toBeLessThan(frame);
    await decide(clip_id, { kind: "add", frame: between });
    const changed = await exportAs(format, [clip_id]);
    const other = await preview({ [changed.name]: changed.bytes });
    expect(other.entries).toMatchObject([{ actions: [] }]);
    await decide(clip_id, { kind: "drop", frame: between });
  },
);

describe("CVAT", () => {
  test("tags that were added or copied there count as what they stand on", async () => {
    const [, clip_id = ""] = clips;
    const { bytes } = await exportAs("cvat", [clip_id]);
    const text = bytes.toString();
    const frames = listFrames(clip_id);
    const tag = /<tag [\s\S]*?<\/tag>/.exec(text)?.[0] ?? "";
    expect(tag).toContain('name="time_secs"');
    const image = (frame: number, body: string) =>
      `<image id="${frame}" name="frame_${String(frame).padStart(6, "0")}" width="1" height="1">${body}</image>`;
    // As CVAT writes them: every frame of the video, attributes of a new tag empty, those of a copied one as they were.
    const edited = text.replace(
      "</annotations>",
      [
        image(5, tag.replace(/>[^<]+<\/attribute>/g, "></attribute>")),
        image(7, tag),
        image(8, ""),
        "</annotations>",
      ].join(""),
    );
    const shown = await preview({ "annotations.xml": edited });
    expect(shown).toMatchObject({
      faults: [],
      entries: [{ clip_id, base: 0, added: [5, 7], dropped: [], same: frames }],
    });
  });

  test("a task of CVAT's own names its video; several clips are a file each", async () => {
    const [, walk = "", turned = ""] = clips;
    const own =
      '<annotations><meta><task><name>any</name><source>walk.mp4</source></task></meta><image id="5" name="frame_000005"><tag label="keyframe" source="manual"></tag></image></annotations>';
    const shown = await preview({ "annotations.xml": own });
    expect(shown.faults).toEqual([]);
    expect(shown.entries).toMatchObject([{ clip_id: walk, base: 0, base_from: "file" }]);
    const { name, bytes } = await exportAs("cvat", [walk, turned]);
    expect(name).toBe("2 clips.keyframes.cvat.zip");
    const file = join(scratch, "cvat.zip");
    writeFileSync(file, bytes);
    const inside = await unpackZip(file, join(scratch, "cvat"), 2 ** 30);
    expect(inside.map(({ path }) => path).sort()).toEqual(["walk (2).xml", "walk.xml"]);
  });
});

test("B47: frames are exported with source ordinal and time, and come back as the same pictures", async () => {
  const [clip_id = ""] = clips;
  const { bytes } = await exportAs("csv", [clip_id]);
  const [head = "", ...rows] = bytes.toString().trim().split("\n");
  const at = (row: string, column: string) =>
    row.replace(/^"[^"]*"/, "").split(",")[head.split(",").indexOf(column)];
  const { time_secs } = server.app.clips.library.getFrames(clip_id);
  for (const row of rows) {
    expect(at(row, "frame_base")).toBe("0");
    expect(Number(at(row, "time_secs"))).toBe(time_secs[Number(at(row, "frame"))]);
  }
  // 90 frames of 29.97 a second are 3.003 s.
  const third = `clip_name,frame,time_secs\n"${server.app.clips.library.get(clip_id).name}",`;
  const told = await preview({ "times.csv": `${third}${30},${(30 * 1001) / 30000}\n` }, { clip_id });
  expect(told.entries).toMatchObject([{ base: 0, base_from: "times" }]);
  const one_based = await preview({ "times.csv": `${third}${31},${(30 * 1001) / 30000}\n` }, { clip_id });
  expect(one_based.entries).toMatchObject([{ base: 1, base_from: "times" }]);
  expect([...(one_based.entries[0]?.added ?? []), ...(one_based.entries[0]?.same ?? [])]).toEqual([30]);
});

describe("the released layout", () => {
  test("S02: a playable H.264 video of one picture a second under the source's name, its provenance beside it", async () => {
    const [, walk = "", turned = ""] = clips;
    const { name, bytes } = await exportAs("released", [walk, turned]);
    expect(name).toBe("2 clips.keyframes.released.zip");
    const file = join(scratch, "released.zip");
    writeFileSync(file, bytes);
    const inside = await unpackZip(file, join(scratch, "released"), 2 ** 30);
    expect(inside.map(({ path }) => path).sort()).toEqual([
      "video_keyframe/walk (2).MP4",
      "video_keyframe/walk (2).MP4.json",
      "video_keyframe/walk.mp4",
      "video_keyframe/walk.mp4.json",
    ]);
    const open = (path: string) => inside.find((one) => one.path === path)?.file ?? "";
    const { facts, index } = await scan(open("video_keyframe/walk (2).MP4"), { interval_secs: 1 });
    expect(facts).toMatchObject({ codec: "h264", rotation: 0 });
    expect([...index.time_secs]).toEqual(listFrames(turned).map((_, at) => at));
    const provenance = parseJson(readFileSync(open("video_keyframe/walk (2).MP4.json"), "utf8"));
    expect(provenance).toMatchObject({
      format: "sightline-keyframes",
      frame_base: 0,
      clip_id: turned,
      version: getVersion(turned),
      settings_hash: SETTINGS,
      settings: SIGHTLINE_SETTINGS,
    });
  });

  test("without provenance the original indices are lost, and it comes in as a clip of its own", async () => {
    const [, walk = ""] = clips;
    const { bytes } = await exportAs("released", [walk]);
    const file = join(scratch, "lost.zip");
    writeFileSync(file, bytes);
    const inside = await unpackZip(file, join(scratch, "lost"), 2 ** 30);
    const video = inside.find(({ path }) => path.endsWith(".mp4"))?.file ?? "";
    const processed = JSON.stringify([
      { Question_id: 1, video_id: "walk.mp4", question: "Frame 0: Observe: x" },
    ]);
    const shown = await preview({
      "inter/video_keyframe/walk.mp4": readFileSync(video),
      "inter/processed_test_data.json": processed,
    });
    const count = listFrames(walk).length;
    expect(shown).toMatchObject({
      entries: [],
      faults: [],
      lost: [{ source: "inter/video_keyframe/walk.mp4", pictures: count }],
      remarks: [expect.stringContaining("does not say which frames")],
    });
    const before = listFrames(walk);
    const { made, videos } = await client.exchange.import.mutate({
      import_id: shown.import_id,
      versions: {},
    });
    expect({ made, videos }).toEqual({ made: [], videos: 1 });
    const own = await waitFor(
      () =>
        server.app.clips.library
          .list({ trash: false })
          .find(({ name: called }) => called === "walk (key-frames).mp4"),
      (clip) => clip !== undefined && getVersionOrNull(clip.clip_id) === count,
    );
    expect(own?.tags).toEqual(["key-frames only"]);
    expect(listFrames(walk)).toEqual(before);
  });
});

/** Key-frames of a clip that may not be ready. */
function getVersionOrNull(clip_id: string): number | null {
  const saved = server.app.keyframes.getSaved(clip_id);
  return saved === null ? null : listFrames(clip_id).length;
}

describe("a file that can't be taken", () => {
  const csv = (rows: string, head = "clip_name,frame_base,frame") => `${head}\n${rows}\n`;
  test.each<[string, string, Uint8Array | string, string]>([
    ["empty", "a.csv", "", "The file is empty."],
    ["another kind of text", "notes.txt", "dear diary\n", "no column “frame”"],
    ["cut-off CSV", "a.csv", csv('"walk.mp4",0,5\n"walk.mp'), "line 3: a quote is opened and never closed"],
    ["a row too short", "a.csv", csv("walk.mp4,0,5\nwalk.mp4,0"), "line 3: 2 fields instead of 3"],
    ["no number", "a.csv", csv("walk.mp4,0,five"), "line 2: “frame” is “five”, not a number"],
    ["half a frame", "a.csv", csv("walk.mp4,0,1.5"), "line 2: “frame” is 1.5, not a whole number"],
    ["counts from 2", "a.csv", csv("walk.mp4,2,5"), "line 2: “frame_base” is 2"],
    ["beyond the end", "a.csv", csv("walk.mp4,0,99999"), "line 2: frame 99999 is not in the clip"],
    [
      "before the start",
      "a.csv",
      csv("walk.mp4,1,0"),
      "line 2: frame 0 is not in the clip, whose frames are 1 to",
    ],
    ["twice", "a.csv", csv("walk.mp4,0,5\nwalk.mp4,0,5"), "line 3: frame 5 was given before (line 2)"],
    ["unknown clip", "a.csv", csv("nowhere.mp4,0,5"), "There is no such clip in the library"],
    ["two clips of the name", "a.csv", csv("WALK,0,5"), "There are 2 clips of this name"],
    [
      "1-based read as 0-based",
      "a.csv",
      csv("walk.mp4,5", "clip_name,frame"),
      "does not say whether its frames count from 0 or from 1",
    ],
    [
      "another file of the name",
      "a.csv",
      csv(`walk.mp4,0,5,${"a".repeat(64)}`, "clip_name,frame_base,frame,clip_id"),
      "its content hash is aaaaaaaaaaaa",
    ],
    [
      "another length",
      "a.csv",
      csv("walk.mp4,0,5,12", "clip_name,frame_base,frame,frame_count"),
      "a clip with 12 frames",
    ],
    [
      "times of another",
      "a.csv",
      csv("walk.mp4,0,5,9.5", "clip_name,frame_base,frame,time_secs"),
      "line 2: frame 5 is said to be at 9.5 s",
    ],
    [
      "truncated XML",
      "a.xml",
      '<annotations>\n<image id="1" name="walk.mp4/frame_000001.jpg">\n<tag label="keyframe">',
      "line 3: the XML is broken: unclosed tag",
    ],
    ["no XML of CVAT's", "a.xml", "<html><body/></html>", "line 1: the document is <html>"],
    ["CVAT for video", "a.xml", '<annotations><track label="keyframe"/></annotations>', "“CVAT for video”"],
    [
      "an entity bomb",
      "a.xml",
      '<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;">]>\n<annotations>&y;</annotations>',
      "declares entities of its own",
    ],
    [
      "an entity from elsewhere",
      "a.xml",
      '<!DOCTYPE a SYSTEM "file:///etc/passwd">\n<annotations>&passwd;</annotations>',
      "line 2: the XML is broken: undefined entity",
    ],
    ["deeply nested", "a.xml", `<annotations>${"<a>".repeat(5000)}`, "nested 33 deep"],
    ["cut-off JSON", "a.json", '[{"data": {\n"video": "walk.mp4"', "line 2: the JSON ends too early"],
    ["no JSON", "a.json", '[{"data": {\n"video" = 3}}]', "line 2: this is no JSON"],
    ["another JSON", "a.json", '{"hello": 1}', "neither Label Studio's list of tasks nor"],
    [
      "a newer version of ours",
      "a.json",
      '{"format":"sightline-keyframes","format_version":7,"frames":[]}',
      "of version 7",
    ],
    ["half of a FiftyOne folder", "frames.json", '{"frames":[]}', "half of a FiftyOne dataset"],
    ["no text", "a.csv", Buffer.from([0x66, 0x0a, 0xff, 0xfe, 0x80]), "line 2: this is no text in UTF-8"],
    [
      "UTF-16 without its mark",
      "a.csv",
      Buffer.from("clip_name,frame\nwalk,5\n", "utf16le"),
      "this is no text",
    ],
    [
      "a broken archive",
      "a.zip",
      Buffer.from("PK\x03\x04 and no more"),
      "The archive is broken or cut short",
    ],
    [
      "no key-frames in it",
      "a.json",
      '[{"data":{"video":"walk.mp4"},"annotations":[]}]',
      "holds no key-frame",
    ],
  ])("%s: says where and why, and changes nothing", async (_what, path, body, problem) => {
    const before = clips.map(getVersion);
    const shown = await preview({ [path]: body });
    expect(shown.entries).toEqual([]);
    expect(shown.faults).toMatchObject([{ source: path, problem: expect.stringContaining(problem) }]);
    const applied = await client.exchange.import.mutate({ import_id: shown.import_id, versions: {} });
    expect(applied).toEqual({ made: [], videos: 0 });
    expect(clips.map(getVersion)).toEqual(before);
  });

  test("of an archive that can't be unpacked whole nothing stays on the disk", async () => {
    const file = join(scratch, "large.zip");
    const entries = ["a.csv", "b.csv"].map((path) => ({ path, text: "x".repeat(600) }));
    await writeZip(file, entries, new AbortController().signal);
    const folder = join(scratch, "large");
    await expect(unpackZip(file, folder, 1000)).rejects.toThrow("Unpacked it is more than");
    expect(existsSync(folder)).toBe(false);
  });

  test("what the file does not say, a person can say", async () => {
    const file = { "a.csv": "clip_name,frame\nwalk.mp4,6\n" };
    const [, walk = ""] = clips;
    const unsaid = await preview(file);
    expect(unsaid.faults).toMatchObject([{ clip_name: "walk.mp4", needs_base: true }]);
    const said = await preview(file, { base: 1 });
    expect(said.entries).toMatchObject([{ clip_id: walk, base: 1, base_from: "person" }]);
    expect([...(said.entries[0]?.added ?? []), ...(said.entries[0]?.same ?? [])]).toEqual([5]);
  });

  test("one clip's fault keeps that clip out, whole, and no other", async () => {
    const [first = ""] = clips;
    const name = server.app.clips.library.get(first).name;
    const rows = `"${name}",0,0\n"${name}",0,3\nnowhere.mp4,0,1\nwalk.mp4,0,1\nwalk.mp4,0,88888`;
    const shown = await preview({ "a.csv": `clip_name,frame_base,frame\n${rows}\n` });
    expect(shown.entries).toMatchObject([{ clip_id: first }]);
    expect(shown.faults.map(({ clip_name }) => clip_name)).toEqual(["nowhere.mp4", "walk.mp4"]);
    const { made } = await client.exchange.import.mutate({
      import_id: shown.import_id,
      versions: versionsOf(shown),
    });
    expect(made.map(({ clip_id }) => clip_id)).toEqual([first]);
    expect(listFrames(first)).toEqual([0, 3]);
    await client.exchange.undo.mutate({ made });
  });

  test.each([
    ["CRLF", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
    ["a byte order mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-16 with its mark", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["semicolons", (text: string) => Buffer.from(text.replaceAll(",", ";"))],
  ])("%s are no hindrance", async (_what, encode) => {
    const shown = await preview({
      "a.csv": encode("clip_name,frame_base,frame\nwalk.mp4,0,5\nwalk.mp4,0,7\n"),
    });
    expect(shown.faults).toEqual([]);
    expect([...(shown.entries[0]?.added ?? []), ...(shown.entries[0]?.same ?? [])].sort()).toEqual([5, 7]);
  });

  test("50 MB are read or refused in seconds, and the server answers meanwhile", async () => {
    const image = '<image id="1" name="nowhere.mp4/frame_000001.jpg"><tag label="car"/></image>\n';
    const xml = `<annotations>\n${image.repeat(Math.ceil((50 * 2 ** 20) / image.length))}</annotations>`;
    const import_id = await hand({ "large.xml": xml });
    const looked = client.exchange.preview.query({ import_id });
    await expect(client.health.query()).resolves.toEqual({ ok: true });
    expect((await looked).faults).toMatchObject([{ problem: "The file was read and holds no key-frame." }]);
    const row = "nowhere.mp4,0,5\n";
    const csv50 = `clip_name,frame_base,frame\n${row.repeat(Math.ceil((70 * 2 ** 20) / row.length))}`;
    const { faults } = await preview({ "large.csv": csv50 });
    expect(faults).toMatchObject([{ problem: expect.stringContaining("64 MB can be read") }]);
  });
});

describe("what comes over the wire", () => {
  test("is asked for by a cookie; an id that is none finds nothing", async () => {
    const stranger = await fetch(`${server.url}/exchange/exports/${randomUUID()}`);
    expect(stranger.status).toBe(401);
    expect((await fetchExport(randomUUID())).status).toBe(404);
    expect((await fetchExport(encodeURIComponent("../../token"))).status).toBe(404);
    const response = await fetch(`${server.url}/exchange/imports/..%2Fx/files?path=a`, {
      method: "POST",
      headers: { ...server.headers, "content-type": "application/offset+octet-stream" },
      body: "x",
    });
    expect(response.status).toBe(400);
    expect(existsSync(join(server.app.dataDir, "x"))).toBe(false);
  });

  test("a path in a name or an archive leads nowhere", async () => {
    const shown = await preview({ "../../../token": "x" });
    expect(shown.faults).toMatchObject([{ source: "../../../token" }]);
    expect(readFileSync(join(server.app.dataDir, "token"), "utf8")).not.toBe("x");
  });

  test("the name that it is saved under is safe, and HEAD tells it without the file", async () => {
    const [first = ""] = clips;
    const { name } = await exportAs("csv", [first]);
    expect(name).toMatch(/^=SUM\(A1\)_weg _ _b_\.keyframes-v\d+\.csv$/);
  });

  test("an export is cancelled, and nothing of it is left", async () => {
    const choices = clips.map((clip_id) => ({ clip_id, settings_hash: SETTINGS }));
    const { export_id, job } = server.app.exchange.exports.start(choices, "released");
    server.app.jobs.cancel(job.job_id);
    await waitFor(
      () => server.app.jobs.list().find(({ job_id }) => job_id === job.job_id)?.state,
      (state) => state === "cancelled",
    );
    expect((await fetchExport(export_id)).status).toBe(404);
    await waitFor(
      () => existsSync(join(server.app.dataDir, "exports", export_id)),
      (exists) => !exists,
    );
  });
});
