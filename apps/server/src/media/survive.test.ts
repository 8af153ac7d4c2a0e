import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDecoderPool } from "./decoder-pool.ts";
import { surviveSpoilt } from "./testing/survive.ts";

// The long form is `pnpm soak video`.
test("spoilt clips are read, read in part or refused; what is in the table can be read again", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "sightline-spoilt-"));
  const pool = createDecoderPool(1, { silenceMs: 60_000 });
  try {
    const endings = new Set<string>();
    for (let seed = 1; seed <= 64; seed++) endings.add(await surviveSpoilt(pool, scratch, seed));
    expect([...endings].sort()).toEqual(["partial", "ready", "refused"]);
  } finally {
    pool.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
