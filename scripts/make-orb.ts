/**
 * Compiles packages/core/src/keyframes/orb.c into orb-wasm.ts.
 *
 * usage: npx tsx scripts/make-orb.ts [COMPILER…]    a clang that knows wasm32, with its linker; by default "clang".
 * `python -m ziglang cc` (pip install ziglang) is one without anything to install beside it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../packages/core/src/keyframes");
const FLAGS = [
  "--target=wasm32-freestanding",
  "-O3",
  "-msimd128",
  "-mbulk-memory",
  // A fused multiply-add would round otherwise than OpenCV does.
  "-ffp-contract=off",
  "-nostdlib",
  "-Wl,--no-entry",
  "-Wl,--strip-all",
];

const [compiler = "clang", ...words] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "sightline-orb-"));
try {
  const out = join(scratch, "orb.wasm");
  const { status } = spawnSync(compiler, [...words, ...FLAGS, join(FOLDER, "orb.c"), "-o", out], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`${compiler} could not compile orb.c.`);
  const bytes = readFileSync(out);
  const lines: string[] = [];
  for (let i = 0; i < bytes.length; i += 28) lines.push(`  ${[...bytes.subarray(i, i + 28)].join(", ")},`);
  writeFileSync(
    join(FOLDER, "orb-wasm.ts"),
    `/** orb.c, compiled by scripts/make-orb.ts. */\n// biome-ignore format: bytes\nexport const ORB_WASM = Uint8Array.of(\n${lines.join("\n")}\n);\n`,
  );
  console.log(`orb-wasm.ts: ${bytes.length} bytes of WebAssembly`);
} finally {
  rmSync(scratch, { recursive: true });
}
