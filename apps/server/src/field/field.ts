import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSampledFrames } from "@sightline/core/clips";
import { EMBODIED_R_SETTINGS, type KeyFrameSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import type { DecoderPool } from "../media/decoder-pool.ts";
import { MediaProblem } from "../media/problem.ts";
import { readClip } from "../media/read-clip.ts";

/** What came of one file of the field. */
export type FieldRow = {
  /** Path under the field's folder. */
  file: string;
  codec: string;
  /** Pictures decoded and shown; null for a file that was refused. */
  frames: number | null;
  sampled: number | null;
  /** Key-frames in the preset `sightline` and in `embodied-r`; null for a file that was refused. */
  sightline: number | null;
  embodied_r: number | null;
  playback: "original" | "proxy" | "none";
  secs: number;
  /** The words of a refusal or of what was lost. */
  words: string;
};

/** Files of a folder and of its folders, in order. */
export function listField(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

/** Takes a file the way that a clip takes through the server: read in a decoder process, then a proxy where one is needed. */
export async function tryFile(pool: DecoderPool, folder: string, file: string): Promise<FieldRow> {
  const scratch = mkdtempSync(join(tmpdir(), "sightline-field-"));
  const started = performance.now();
  const finish = (row: Partial<FieldRow>): FieldRow => ({
    file,
    codec: "",
    frames: null,
    sampled: null,
    sightline: null,
    embodied_r: null,
    playback: "none",
    words: "",
    ...row,
    secs: (performance.now() - started) / 1000,
  });
  try {
    const path = join(folder, file);
    const lane = { lane: "background" } as const;
    const { facts, index, problem, browser_start_secs } = await readClip(
      pool,
      { file: path, thumbs_dir: scratch, interval_secs: 1 },
      lane,
    );
    if (browser_start_secs === null) {
      await pool.run("proxy", { file: path, index, out: join(scratch, "proxy.mp4") }, lane);
    }
    const countKeyFrames = async (settings: KeyFrameSettings) => {
      const args = { clip_id: file, file: path, index, settings, cache_dir: join(scratch, "keyframes") };
      const { decisions } = await pool.run("keyframes", args, lane);
      return decisions.filter(({ kept }) => kept).length;
    };
    return finish({
      codec: facts.codec,
      frames: index.time_secs.length,
      sampled: getSampledFrames([...index.time_secs], 1).length,
      sightline: await countKeyFrames(SIGHTLINE_SETTINGS),
      embodied_r: await countKeyFrames(EMBODIED_R_SETTINGS),
      playback: browser_start_secs === null ? "proxy" : "original",
      words: problem ?? "",
    });
  } catch (error) {
    if (!(error instanceof MediaProblem)) throw error;
    return finish({ words: error.message });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The rows as a table for a terminal. */
export function printField(rows: readonly FieldRow[]): string {
  const cells = rows.map((row) => [
    row.file,
    row.codec,
    String(row.frames ?? "–"),
    String(row.sampled ?? "–"),
    String(row.sightline ?? "–"),
    String(row.embodied_r ?? "–"),
    row.playback,
    row.secs.toFixed(2),
    row.words,
  ]);
  const table = [
    ["clip", "codec", "frames", "sampled", "sightline", "embodied-r", "playback", "seconds", "words"],
    ...cells,
  ];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
