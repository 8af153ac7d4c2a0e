import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { listField } from "../../field/field.ts";
import { findShared } from "../../field/shared.ts";
import type { Line } from "./line.ts";

vi.setConfig({ testTimeout: 600_000 });

const ROOT = join(import.meta.dirname, "../../../../..");
const shared = findShared();
const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../field/expected-frames.json"), "utf8"),
) as Record<string, number>;

if (shared === null)
  console.warn("SKIPPED: the command over real clips; SIGHTLINE_SHARED names no folder that exists.");

test.skipIf(shared === null)("every real clip has its line, or its reason", () => {
  const videos = join(shared ?? "", "data", "videos");
  const scratch = mkdtempSync(join(tmpdir(), "sightline-cli-field-"));
  const out = join(scratch, "out.jsonl");
  try {
    const command = ["--import", "tsx", "apps/server/src/cli/keyframes/main.ts", videos, "--out", out];
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: ROOT, encoding: "utf8" });
    const lines = readFileSync(out, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text) as Line);
    expect(lines.map(({ path }) => path).sort()).toEqual(listField(videos));
    let failed = 0;
    for (const line of lines) {
      if ("failure" in line) {
        failed += 1;
        expect(line.failure).toMatch(/\.$/);
      } else if ("same_as" in line) expect(EXPECTED[line.same_as]).toBeDefined();
      else {
        expect([line.path, line.frame_count]).toEqual([line.path, EXPECTED[line.path]]);
        expect(line.key_frames.length).toBeGreaterThan(0);
      }
    }
    expect(status).toBe(failed > 0 ? 1 : 0);
    console.log(stderr);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
