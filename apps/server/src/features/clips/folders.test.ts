import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { type Client, connect } from "../runs/testing/client.ts";

let root: string;
let server: TestServer;
let client: Client;
let folder_id: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "sightline-folders-"));
  const listed = join(root, "videos");
  mkdirSync(join(listed, "2026", "may"), { recursive: true });
  mkdirSync(join(root, "private"));
  copyFileSync(getFixture("vfr-gap.mp4"), join(listed, "10.mp4"));
  copyFileSync(getFixture("vfr-gap.mp4"), join(listed, "9.MOV"));
  copyFileSync(getFixture("two-frames.mp4"), join(listed, "2026", "may", "walk.mp4"));
  copyFileSync(getFixture("cfr-30.mp4"), join(root, "private", "secret.mp4"));
  writeFileSync(join(listed, "notes.txt"), "not a video");
  writeFileSync(join(listed, ".hidden.mp4"), "hidden");
  symlinkSync(join(root, "private", "secret.mp4"), join(listed, "leads-out.mp4"));
  symlinkSync(join(root, "private"), join(listed, "leads-out"));
  symlinkSync(join(listed, "2026"), join(listed, "stays-in"));
  symlinkSync(join(listed, "nowhere"), join(listed, "broken.mp4"));
  server = await startTestServer({ folders: [listed, join(root, "gone")] });
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
  folder_id = (await client.clips.folders.query())[0]?.folder_id ?? "";
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

test("the listed folders are offered, and show folders and videos, in the order that people count", async () => {
  expect((await client.clips.folders.query()).map(({ name }) => name)).toEqual(["videos", "gone"]);
  const entries = await client.clips.browse.query({ folder_id, path: "" });
  expect(entries.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "folder 2026",
    "folder stays-in",
    "file 9.MOV",
    "file 10.mp4",
  ]);
  const inner = await client.clips.browse.query({ folder_id, path: "stays-in/may" });
  expect(inner.map(({ path }) => path)).toEqual(["stays-in/may/walk.mp4"]);
});

test.each([
  "..",
  "../private",
  "2026/../../private",
  "/etc",
  "leads-out",
  "leads-out/secret.mp4",
  "leads-out.mp4",
  "2026\0",
])("a path that leads out is refused: %j", async (path) => {
  await expect(client.clips.browse.query({ folder_id, path })).rejects.toThrow(/outside|leads out/);
  const [added] = await client.clips.addFromFolder.mutate({ folder_id, paths: [path] });
  expect(added).toMatchObject({ problem: expect.stringMatching(/outside|leads out/) });
});

test("a folder that is not listed, or is gone, is said to be", async () => {
  await expect(client.clips.browse.query({ folder_id: "nonsense", path: "" })).rejects.toThrow(
    "not among those",
  );
  const gone = (await client.clips.folders.query())[1]?.folder_id ?? "";
  await expect(client.clips.browse.query({ folder_id: gone, path: "" })).rejects.toThrow("moved or deleted");
  await expect(client.clips.browse.query({ folder_id, path: "2025" })).rejects.toThrow("moved or deleted");
});

test("files of a folder are copied in; what can't be is told, and the rest comes in", async () => {
  const results = await client.clips.addFromFolder.mutate({
    folder_id,
    paths: ["2026/may/walk.mp4", "missing.mp4", "10.mp4", "9.MOV", "2026"],
  });
  expect(results.map((result) => ("problem" in result ? "problem" : result.added.duplicate))).toEqual([
    false,
    "problem",
    false,
    true,
    "problem",
  ]);
  expect((await client.clips.list.query({})).map(({ name }) => name).sort()).toEqual(["10.mp4", "walk.mp4"]);
});
