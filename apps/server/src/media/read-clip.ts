import type { DecoderPool, RunOptions } from "./decoder-pool.ts";
import { MediaProblem } from "./problem.ts";
import type { Scan } from "./scan.ts";

/**
 * The player's demuxer may loop for ever over damaged data. It reads a whole file in a moment, and on a busy machine,
 * where decoders yield, in some seconds: what plays as it is must not be taken for damaged.
 */
const DEMUXER_SILENCE_MS = 60_000;

/** What a first reading finds out. */
export type Reading = Scan & {
  /** Presentation time that a browser sees for the first frame of the file itself; null where it needs a proxy. */
  browser_start_secs: number | null;
};

/**
 * Reads a file that nobody has looked at yet: its frames, the pictures of its filmstrip, and whether a browser can be
 * given the file itself.
 *
 * @throws MediaProblem when nothing of it can be shown.
 */
export async function readClip(
  pool: DecoderPool,
  args: { file: string; thumbs_dir: string; interval_secs: number },
  options: RunOptions,
): Promise<Reading> {
  const scan = await pool.run("read", args, options);
  if (scan.problem !== null) return { ...scan, browser_start_secs: null };
  const { file } = args;
  const { facts, index } = scan;
  const { lane, signal, silenceMs = DEMUXER_SILENCE_MS } = options;
  try {
    const question = { lane, silenceMs, ...(signal && { signal }) };
    return { ...scan, browser_start_secs: await pool.run("browser", { file, facts, index }, question) };
  } catch (error) {
    // What hangs or crashes the player's demuxer here would do so in the browser.
    if (error instanceof MediaProblem) return { ...scan, browser_start_secs: null };
    throw error;
  }
}
