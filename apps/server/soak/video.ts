/** Reads thousands of spoilt clips and counts how they end. `pnpm soak video [COUNT] [FIRST SEED]` */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDecoderPool } from "../src/media/decoder-pool.ts";
import { type Ending, surviveSpoilt } from "../src/media/testing/survive.ts";

const count = Number(process.argv[2] ?? 2000);
const first = Number(process.argv[3] ?? 1);
const scratch = mkdtempSync(join(tmpdir(), "sightline-soak-"));
const pool = createDecoderPool(1, { silenceMs: 20_000 });
const endings: Partial<Record<Ending | "failed", number>> = {};
try {
  for (let seed = first; seed < first + count; seed++) {
    const ending = await surviveSpoilt(pool, scratch, seed).catch((error: unknown) => {
      console.error(error);
      return "failed" as const;
    });
    endings[ending] = (endings[ending] ?? 0) + 1;
    if (ending === "crashed" || ending === "stuck") console.error(`seed ${seed} ${ending}`);
    if (seed % 200 === 0) console.log(seed, JSON.stringify(endings));
  }
} finally {
  pool.close();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(JSON.stringify({ soak: "video", spoilt: count, endings }));
process.exitCode = endings.failed === undefined ? 0 : 1;
