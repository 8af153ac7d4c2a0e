/**
 * V1, the server's half: of all the frames of the fixture clips, how many are the frame that they are said to be, read
 * off the pictures themselves, on every way by which the server hands out a frame. `pnpm bench video`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { readOrdinalStrip } from "@sightline/core/testing";
import { openCursor } from "../src/media/cursor.ts";
import { drawJpeg } from "../src/media/jpeg.ts";
import { writeProxy } from "../src/media/proxy.ts";
import { readFrames } from "../src/media/read-frames.ts";
import { scan } from "../src/media/scan.ts";
import { decodeJpeg } from "../src/media/testing/decode-jpeg.ts";
import { countTo, getFixture, readOrdinal, WHOLE, type WholeClip } from "../src/media/testing/fixtures.ts";

const scratch = mkdtempSync(join(tmpdir(), "sightline-bench-"));

/** Right answers and questions. */
type Score = { right: number; asked: number };

async function judge({ name, frames }: WholeClip): Promise<Record<string, Score>> {
  const file = getFixture(name);
  const { index } = await scan(file, { interval_secs: 1 });
  const all = countTo(frames);
  const count = (answers: (number | null | undefined)[]) => ({
    right: all.filter((ordinal) => answers[ordinal] === ordinal).length,
    asked: frames,
  });

  const inOrder = [...readFrames(file, index, all)].map(readOrdinal);
  const alone = all.map((ordinal) => {
    const [frame] = readFrames(file, index, [ordinal]);
    return frame ? readOrdinal(frame) : null;
  });
  const cursor = openCursor(file, index);
  const jpegs = all.map((ordinal) =>
    cursor.read(ordinal, (frame, facts) => {
      const { width, height, luma } = decodeJpeg(drawJpeg(frame, facts, 640));
      return readOrdinalStrip(width, height, (x, y) => luma[y * width + x] ?? 0);
    }),
  );
  cursor.close();
  const copy = join(scratch, `${name}.mp4`);
  await writeProxy(file, index, copy);
  const proxy = (await scan(copy, { interval_secs: 1 })).index;
  const proxied = [...readFrames(copy, proxy, all)].map(readOrdinal);
  return { in_order: count(inOrder), alone: count(alone), jpeg: count(jpegs), proxy: count(proxied) };
}

const kinds = new Map<string, Score>();
const ways = new Map<string, Score>();
const add = (to: Map<string, Score>, key: string, { right, asked }: Score) => {
  const before = to.get(key) ?? { right: 0, asked: 0 };
  to.set(key, { right: before.right + right, asked: before.asked + asked });
};
for (const clip of WHOLE) {
  for (const [way, score] of Object.entries(await judge(clip))) {
    add(kinds, clip.kind, score);
    add(ways, way, score);
  }
}
rmSync(scratch, { recursive: true, force: true });

const shares = (scores: Map<string, Score>) =>
  Object.fromEntries([...scores].map(([key, { right, asked }]) => [key, right / asked]));
const total = [...ways.values()].reduce((sum, score) => ({
  right: sum.right + score.right,
  asked: sum.asked + score.asked,
}));
const value = total.right / total.asked;
console.log(
  JSON.stringify({
    id: "V1.server",
    value,
    unit: "share of frames",
    target: "= 1",
    ok: value === 1,
    runs: 1,
    asked: total.asked,
    by_kind: shares(kinds),
    by_way: shares(ways),
    with: `${WHOLE.length} fixture clips; ${cpus()[0]?.model ?? "unknown processor"}`,
  }),
);
