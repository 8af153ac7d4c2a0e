/** Extracts key-frames over and over in one decoder process and watches its memory. `pnpm soak keyframes [COUNT]` */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractOften } from "../src/workers/testing/extract-often.ts";

const MOST_GROWTH_MB = 20;

const count = Number(process.argv[2] ?? 1000);
const scratch = mkdtempSync(join(tmpdir(), "sightline-soak-"));
try {
  const seen = await extractOften(count, scratch, (done, rss_mb) => {
    if (done % 100 === 0) console.error(`${done}: ${rss_mb.toFixed(0)} MB`);
  });
  const tenth = Math.max(1, Math.floor(count / 10));
  const early = median(seen.slice(tenth, 2 * tenth));
  const late = median(seen.slice(-tenth));
  const value = late - early;
  console.log(
    JSON.stringify({
      id: "soak.keyframes",
      value,
      unit: "MB grown",
      target: `<= ${MOST_GROWTH_MB}`,
      ok: value <= MOST_GROWTH_MB,
      runs: count,
      with: `resident memory of a decoder process, ${early.toFixed(0)} MB in the second tenth and ${late.toFixed(0)} MB in the last, most ${Math.max(...seen).toFixed(0)} MB`,
    }),
  );
  process.exitCode = value <= MOST_GROWTH_MB ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
