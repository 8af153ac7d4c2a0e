import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractOften } from "./testing/extract-often.ts";

// The long form is `pnpm soak keyframes`.
test("the memory of a decoder process does not grow from extraction to extraction", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "sightline-memory-"));
  try {
    const seen = await extractOften(36, scratch);
    // By then every clip was decoded under both presets, and OpenCV is loaded.
    const settled = Math.max(...seen.slice(12, 24));
    const last = Math.min(...seen.slice(24));
    expect(last - settled).toBeLessThan(30);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
