import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DecoderPool } from "../decoder-pool.ts";
import { MediaProblem } from "../problem.ts";
import { readClip } from "../read-clip.ts";
import { getFixture, WHOLE } from "./fixtures.ts";
import { mutate } from "./mutate.ts";

/** How a spoilt file ended. */
export type Ending = "ready" | "partial" | "refused" | "crashed" | "stuck";

/**
 * Reads a spoilt fixture clip as the library would, and every frame of what it shows, alone.
 *
 * @throws whatever is not the file's fault, or a table that contradicts itself.
 */
export async function surviveSpoilt(pool: DecoderPool, scratch: string, seed: number): Promise<Ending> {
  const clip = WHOLE[seed % WHOLE.length];
  const file = join(scratch, `${seed}-${clip?.name}`);
  const thumbs_dir = join(scratch, `${seed}-thumbs`);
  mkdirSync(thumbs_dir);
  writeFileSync(file, mutate(readFileSync(getFixture(clip?.name ?? "")), seed));
  try {
    const { index, problem, browser_start_secs } = await readClip(
      pool,
      { file, thumbs_dir, interval_secs: 0.5 },
      { lane: "background" },
    );
    index.time_secs.forEach((time, ordinal) => {
      if (ordinal > 0 && !(time > (index.time_secs[ordinal - 1] ?? 0)))
        throw new Error(`times of seed ${seed}`);
    });
    for (const ordinal of [0, index.time_secs.length - 1]) {
      const luma = await pool.run("luma", { file, index, ordinal }, { lane: "interactive" });
      if (luma === null)
        throw new Error(`frame ${ordinal} of seed ${seed} is in the table but can't be read`);
    }
    if (browser_start_secs === null) {
      await pool.run("proxy", { file, index, out: join(thumbs_dir, "proxy.mp4") }, { lane: "background" });
    }
    return problem === null ? "ready" : "partial";
  } catch (error) {
    if (!(error instanceof MediaProblem)) throw new Error(`seed ${seed} (${clip?.name})`, { cause: error });
    if (error.message.includes("crashed")) return "crashed";
    return error.message.includes("stuck") ? "stuck" : "refused";
  } finally {
    rmSync(file, { force: true });
    rmSync(thumbs_dir, { recursive: true, force: true });
  }
}
