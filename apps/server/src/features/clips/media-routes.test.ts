import { readFileSync } from "node:fs";
import { readOrdinalStrip } from "@sightline/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeJpeg } from "../../media/testing/decode-jpeg.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { upload } from "./testing/tus.ts";
import { waitFor } from "./testing/wait.ts";

let server: TestServer;
const ids = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer();
  for (const name of ["cfr-30.mp4", "rotated-90.mp4", "pixel-aspect-2-1.mp4", "hevc.mp4", "text.mp4"]) {
    const clip_id =
      (await upload(server, name, readFileSync(getFixture(name)))).headers.get("x-clip-id") ?? "";
    ids.set(name, clip_id);
    await waitFor(
      () => server.app.clips.library.get(clip_id),
      ({ state }) => state !== "reading",
    );
  }
});
afterAll(() => server.close());

const ask = (name: string, path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${server.url}/media/clips/${ids.get(name) ?? name}/${path}`, {
    method,
    headers: { ...server.headers, ...headers },
  });
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

test("a clip's bytes are served whole and in ranges", async () => {
  const file = readFileSync(getFixture("cfr-30.mp4"));
  const whole = await ask("cfr-30.mp4", "original");
  expect(whole.status).toBe(200);
  expect(whole.headers.get("accept-ranges")).toBe("bytes");
  expect((await bytes(whole)).equals(file)).toBe(true);

  const size = file.length;
  for (const [range, from, to] of [
    ["bytes=0-99", 0, 99],
    ["bytes=100-", 100, size - 1],
    ["bytes=-50", size - 50, size - 1],
    [`bytes=${size - 1}-${size + 99}`, size - 1, size - 1],
  ] as const) {
    const part = await ask("cfr-30.mp4", "original", { range });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes ${from}-${to}/${size}`);
    expect(part.headers.get("content-length")).toBe(String(to - from + 1));
    expect((await bytes(part)).equals(file.subarray(from, to + 1))).toBe(true);
  }
  const beyond = await ask("cfr-30.mp4", "original", { range: `bytes=${size}-` });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);

  const head = await ask("cfr-30.mp4", "original", {}, "HEAD");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size)]);
  const etag = head.headers.get("etag") ?? "";
  expect((await ask("cfr-30.mp4", "original", { "if-none-match": etag })).status).toBe(304);
  expect((await ask("cfr-30.mp4", "original", { range: "bytes=0-9", "if-range": '"other"' })).status).toBe(
    200,
  );
});

test.each([
  ["cfr-30.mp4", "320x240", "320x240"],
  ["rotated-90.mp4", "256x320", "256x320"],
  ["pixel-aspect-2-1.mp4", "320x120", "640x240"],
])("B45: a frame of %s comes upright at any ordinal, sampled or not", async (name, small, large) => {
  for (const ordinal of [0, 7, 10, 19]) {
    for (const [query, size] of [
      ["", small],
      ["?width=320", small],
      ["?width=1280", large],
    ]) {
      const response = await ask(name, `frames/${ordinal}.jpg${query}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("image/jpeg");
      const { width, height, luma } = decodeJpeg(await bytes(response));
      expect(`${width}x${height}`).toBe(size);
      expect(readOrdinalStrip(width, height, (x, y) => luma[y * width + x] ?? 0)).toBe(ordinal);
    }
  }
});

test("S01: luma of a clip that no browser decodes is served as coded, frame by frame", async () => {
  for (const ordinal of [3, 4, 5, 24, 0]) {
    const response = await ask("hevc.mp4", `luma/${ordinal}`);
    expect(response.status).toBe(200);
    const width = Number(response.headers.get("x-width"));
    const height = Number(response.headers.get("x-height"));
    const luma = await bytes(response);
    expect([width, height, luma.length]).toEqual([320, 240, 320 * 240]);
    expect(readOrdinalStrip(width, height, (x, y) => luma[y * width + x] ?? 0)).toBe(ordinal);
  }
});

test("what is not there is refused in a sentence", async () => {
  const refuse = async (name: string, path: string, status: number, words: string) => {
    const response = await ask(name, path);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { message: string }).message).toContain(words);
  };
  await refuse("cfr-30.mp4", "frames/60.jpg", 404, "no frame 60");
  await refuse("cfr-30.mp4", "frames/-1.jpg", 404, "no frame -1");
  await refuse("cfr-30.mp4", "frames/x.jpg", 404, "no frame x");
  await refuse("cfr-30.mp4", "luma/99999999999", 404, "no frame");
  await refuse("cfr-30.mp4", "proxy", 404, "has not been made");
  await refuse("text.mp4", "frames/0.jpg", 412, "text file");
  await refuse("0".repeat(64), "original", 404, "not in the library");
  await refuse("..%2f..%2fsightline.db", "original", 404, "not in the library");
});

test("bytes that claim to be a page are not served as one", async () => {
  const response = await ask("text.mp4", "original");
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});
