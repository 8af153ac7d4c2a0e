import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { measureStorage } from "./storage.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-storage-"));
});

afterEach(() => rmSync(dataDir, { recursive: true }));

test("each part of the data folder is summed, and links lead nowhere", async () => {
  mkdirSync(join(dataDir, "clips/a/thumbs"), { recursive: true });
  writeFileSync(join(dataDir, "clips/a/original.mp4"), Buffer.alloc(1000));
  writeFileSync(join(dataDir, "clips/a/thumbs/0.jpg"), Buffer.alloc(20));
  writeFileSync(join(dataDir, "sightline.db"), Buffer.alloc(300));
  writeFileSync(join(dataDir, "sightline.db-wal"), Buffer.alloc(4));
  symlinkSync("/", join(dataDir, "runs"));
  const { parts, disk_free_bytes, disk_total_bytes } = await measureStorage(dataDir);
  const bytes = Object.fromEntries(parts.map((part) => [part.name, part.bytes]));
  expect(bytes).toMatchObject({ clips: 1020, database: 304, uploads: 0, other: 0 });
  expect(bytes.runs).toBeLessThan(100);
  expect(disk_free_bytes).toBeGreaterThan(0);
  expect(disk_total_bytes).toBeGreaterThan(disk_free_bytes);
});
