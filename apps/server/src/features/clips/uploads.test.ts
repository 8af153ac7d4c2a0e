import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { createSession } from "../../http/session.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { makeDataDir, serveHere, spawnServer } from "../runs/testing/servers.ts";
import { askOffset, cancelUpload, createUpload, sendBytes, type TusTarget, upload } from "./testing/tus.ts";
import { waitFor } from "./testing/wait.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function makeServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  cleanups.push(server.close);
  return server;
}

function enter(address: string, dataDir: string): TusTarget {
  const { cookie_name, cookie_value } = createSession(loadInstallToken(dataDir));
  return { url: address, headers: { cookie: `${cookie_name}=${cookie_value}`, origin: address } };
}

const VIDEO = readFileSync(getFixture("cfr-30.mp4"));
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const listUploads = (server: TestServer) => readdirSync(join(server.app.dataDir, "uploads"));

test("a file comes in pieces, and what has arrived can be asked for at any time", async () => {
  const server = await makeServer();
  const created = await createUpload(server, "a.mp4", VIDEO.length);
  expect(created.status).toBe(201);
  const location = created.headers.get("location") ?? "";
  expect(location).toMatch(/^\/uploads\/[0-9a-f]+$/);
  for (let at = 0; at < VIDEO.length; at += 10_000) {
    expect((await askOffset(server, location)).headers.get("upload-offset")).toBe(String(at));
    const answer = await sendBytes(server, location, at, VIDEO.subarray(at, at + 10_000));
    expect(answer.status).toBe(204);
    if (at + 10_000 < VIDEO.length) expect(answer.headers.get("x-clip-id")).toBeNull();
    else expect(answer.headers.get("x-clip-id")).toBe(sha256(VIDEO));
  }
  expect(listUploads(server)).toEqual([]);
  expect((await sendBytes(server, location, 0, VIDEO)).status).toBe(404);
});

test("pieces out of place are refused and change nothing", async () => {
  const server = await makeServer();
  const location = (await createUpload(server, "a.mp4", VIDEO.length)).headers.get("location") ?? "";
  await sendBytes(server, location, 0, VIDEO.subarray(0, 5000));
  expect((await sendBytes(server, location, 4000, VIDEO.subarray(4000))).status).toBe(409);
  expect(
    (await sendBytes(server, location, 5000, Buffer.concat([VIDEO, VIDEO]))).status,
  ).toBeGreaterThanOrEqual(400);
  expect(Number((await askOffset(server, location)).headers.get("upload-offset"))).toBeLessThanOrEqual(
    VIDEO.length,
  );
});

test("cancelling an upload frees what it took", async () => {
  const server = await makeServer({ quota: { file_bytes: 1e6, total_bytes: 1e6 } });
  const location = (await createUpload(server, "a.mp4", 900_000)).headers.get("location") ?? "";
  await sendBytes(server, location, 0, VIDEO.subarray(0, 5000));
  expect((await createUpload(server, "b.mp4", 900_000)).status).toBe(413);
  expect((await cancelUpload(server, location)).status).toBe(204);
  expect(listUploads(server)).toEqual([]);
  expect((await askOffset(server, location)).status).toBe(404);
  expect((await createUpload(server, "b.mp4", 900_000)).status).toBe(201);
});

test("several uploads at once keep apart", async () => {
  const server = await makeServer();
  const names = ["cfr-30.mp4", "b-frames.mp4", "vfr-gap.mp4", "slow-0.5.mp4", "two-frames.mp4"];
  const answers = await Promise.all(
    names.map((name) => upload(server, name, readFileSync(getFixture(name)))),
  );
  answers.forEach(({ headers }, k) => {
    expect(headers.get("x-clip-id")).toBe(sha256(readFileSync(getFixture(names[k] ?? ""))));
  });
});

test("the quota is kept at the door: a file, all files, and what others have announced", async () => {
  const server = await makeServer({ quota: { file_bytes: 200_000, total_bytes: 300_000 } });
  const refused = await createUpload(server, "big.mp4", 10 * 2 ** 30);
  expect([refused.status, refused.body]).toEqual([413, expect.stringContaining("Maximum size exceeded")]);
  expect((await createUpload(server, "one.mp4", 200_000)).status).toBe(201);
  const full = await createUpload(server, "two.mp4", 150_000);
  expect([full.status, full.body]).toEqual([
    413,
    "The file has 147 kB; the library has room for 98 kB more (of 293 kB).",
  ]);
  expect((await createUpload(server, "three.mp4", 0)).body).toBe("The file is empty.");
  expect((await createUpload(server, "four.mp4", "deferred")).status).toBe(411);
  expect(listUploads(server).filter((name) => !name.endsWith(".json")).length).toBe(1);
});

test("an upload needs a session and our own origin, and names no path", async () => {
  const server = await makeServer();
  const { cookie, origin } = server.headers;
  expect((await createUpload({ url: server.url, headers: { origin } }, "a.mp4", 10)).status).toBe(401);
  expect(
    (await createUpload({ url: server.url, headers: { cookie, origin: "http://evil.example" } }, "a", 10))
      .status,
  ).toBe(403);
  for (const location of ["/uploads/..%2fsightline.db", "/uploads/%2e%2e/sightline.db", "/uploads/nothing"]) {
    expect((await sendBytes(server, location, 0, VIDEO)).status).toBeGreaterThanOrEqual(400);
  }
});

test("an upload that was complete when the server went down is brought in at the next start", async () => {
  const { dataDir, remove } = makeDataDir("uploads");
  cleanups.push(remove);
  const first = await serveHere(dataDir);
  const location = (await createUpload(enter(first.address, dataDir), "late.mp4", VIDEO.length)).headers.get(
    "location",
  );
  await first.close();
  appendFileSync(join(dataDir, location ?? ""), VIDEO);

  const second = await serveHere(dataDir);
  cleanups.push(second.close);
  const [clip] = await waitFor(
    () => second.client.clips.list.query({}),
    ([one]) => one !== undefined && one.state !== "reading",
  );
  expect(clip).toMatchObject({ clip_id: sha256(VIDEO), name: "late.mp4", state: "ready", frame_count: 60 });
  await waitFor(
    () => readdirSync(join(dataDir, "uploads")),
    (names) => names.length === 0,
  );
});

test("an unfinished upload is kept for a week, and then cleared", async () => {
  const { dataDir, remove } = makeDataDir("expired");
  cleanups.push(remove);
  const first = await serveHere(dataDir);
  const target = enter(first.address, dataDir);
  const [young, old] = await Promise.all(
    ["young.mp4", "old.mp4"].map(
      async (name) => (await createUpload(target, name, 1000)).headers.get("location") ?? "",
    ),
  );
  await first.close();
  const about = join(dataDir, `${old}.json`);
  const week = 7 * 24 * 3600 * 1000;
  const record = JSON.parse(readFileSync(about, "utf8"));
  writeFileSync(
    about,
    JSON.stringify({ ...record, creation_date: new Date(Date.now() - week - 1000).toISOString() }),
  );
  const second = await serveHere(dataDir);
  cleanups.push(second.close);
  const left = await waitFor(
    () => readdirSync(join(dataDir, "uploads")),
    (names) => names.length <= 2,
  );
  expect(left.map((name) => `/uploads/${name.replace(/\.json$/, "")}`)).toEqual([young, young]);
  expect((await askOffset(enter(second.address, dataDir), young ?? "")).status).toBe(200);
});

test("kill -9 in mid-upload: the upload goes on where it was, and the clip is whole", async () => {
  const { dataDir, remove } = makeDataDir("killed-upload");
  cleanups.push(remove);
  // A video with a tail of noise, so that there is something to send: what follows the last box is ignored.
  const tail = Buffer.alloc(24 * 2 ** 20);
  randomBytes(1024).copy(tail);
  tail.writeUInt32BE(tail.length, 0);
  tail.write("free", 4, "latin1");
  const big = Buffer.concat([VIDEO, tail]);

  let server = await spawnServer(dataDir);
  let target = enter(server.address, dataDir);
  const location = (await createUpload(target, "long walk.mp4", big.length)).headers.get("location") ?? "";
  await sendBytes(target, location, 0, big.subarray(0, 3_000_000));
  // The next piece is on its way when the server dies.
  const torn = fetch(new URL(location, target.url), {
    method: "PATCH",
    headers: {
      ...target.headers,
      "tus-resumable": "1.0.0",
      "upload-offset": "3000000",
      "content-type": "application/offset+octet-stream",
      "content-length": String(big.length - 3_000_000),
    },
    body: new ReadableStream({
      async pull(controller) {
        controller.enqueue(new Uint8Array(big.subarray(3_000_000, 9_000_000)));
        await new Promise(() => undefined);
      },
    }),
    duplex: "half",
  } as RequestInit).catch(() => null);
  await waitFor(
    () => askFile(dataDir, location),
    (size) => size > 3_000_000,
  );
  await server.kill();
  await torn;

  server = await spawnServer(dataDir);
  cleanups.push(server.kill);
  target = enter(server.address, dataDir);
  const offset = Number((await askOffset(target, location)).headers.get("upload-offset"));
  expect(offset).toBeGreaterThan(3_000_000);
  expect(offset).toBeLessThan(big.length);
  const done = await sendBytes(target, location, offset, big.subarray(offset));
  expect(done.headers.get("x-clip-id")).toBe(sha256(big));

  // And once more, while the clip is being read.
  await server.kill();
  const third = await spawnServer(dataDir);
  cleanups.push(third.kill);
  const clip = await waitFor(
    () => third.client.clips.get.query({ clip_id: sha256(big) }),
    ({ state }) => state !== "reading",
  );
  expect(clip).toMatchObject({ name: "long walk.mp4", state: "ready", frame_count: 60, bytes: big.length });
});

function askFile(dataDir: string, location: string): number {
  return statSync(join(dataDir, location)).size;
}
