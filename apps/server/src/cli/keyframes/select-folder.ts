import { setMaxListeners } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { formatNumberOf } from "@sightline/core/format";
import { hashSettings } from "@sightline/core/keyframes";
import PQueue from "p-queue";
import { createDecoderPool, type DecoderPool } from "../../media/decoder-pool.ts";
import { hashFile } from "../../media/hash.ts";
import { explainAccess, type Walked, walkVideos } from "../../media/walk.ts";
import { selectSideBySide } from "../../workers/select-side-by-side.ts";
import { type Line, type LineHead, toCopyLine, toSelectionLine } from "./line.ts";
import { CommandProblem, nameFile, type Options } from "./options.ts";
import { openOutFile } from "./out-file.ts";
import { createProgress } from "./progress.ts";

type Video = Extract<Walked, { kind: "video" | "unreadable" }>;

/** How many videos may be ahead of the one whose line is written next, for each that is worked on. */
const AHEAD = 4;

/**
 * Selects the key-frames of a folder's videos and adds their lines in the order of their paths.
 *
 * @param signal  Fires when a person stops it; lines of videos that are through by then are written.
 * @returns What the command ends with: 0, 1 or 130.
 * @throws CommandProblem when there is nothing to do, or it can't go on.
 */
export async function selectFolder(
  { dir, out, settings, jobs }: Options,
  stderr: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<number> {
  const videos = await listVideos(dir, signal, (text) => stderr.write(`${text}\n`));
  const settings_hash = hashSettings(settings);
  const file = await openOutFile(out, settings_hash);
  const scratch = mkdtempSync(join(tmpdir(), "sightline-cli-"));
  const pool = createDecoderPool(jobs);
  const progress = createProgress(stderr, videos.length);
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  // One for each video that is ahead, and a few more.
  setMaxListeners(0, either);
  const queue = new PQueue({ concurrency: jobs });
  const tally = { done: 0, there: 0, copies: 0, failed: 0 };

  /** Lines of videos that are not written yet, by content; of those that are, the file knows. */
  const begun = new Map<string, Promise<Line>>();
  const write = (line: Line) => {
    file.add(line);
    begun.delete(line.clip_id ?? "");
    if ("failure" in line) {
      tally.failed += 1;
      progress.say(`${line.path}: ${line.failure}`);
      progress.count(0);
    } else if ("same_as" in line) {
      tally.copies += 1;
      progress.say(`${line.path}: the same as ${line.same_as}`);
      progress.count(null);
    } else {
      tally.done += 1;
      progress.count(line.duration_secs ?? line.decisions.at(-1)?.time_secs ?? 0);
    }
  };
  // Lines are written one after the other: a video that is through early waits for those before it.
  let tail: Promise<void> = Promise.resolve();
  let ahead = 0;
  let wake = () => {};
  const append = (line: Promise<Line>) => {
    ahead += 1;
    const before = tail;
    tail = Promise.all([line, before]).then(([ready]) => {
      ahead -= 1;
      write(ready);
      wake();
    });
    tail.catch((error: unknown) => {
      broken.abort(error);
      wake();
    });
  };

  try {
    for (const [n, video] of videos.entries()) {
      while (ahead >= AHEAD * jobs && !either.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      either.throwIfAborted();
      const { path } = video;
      if (video.kind === "unreadable") {
        append(Promise.resolve({ path, clip_id: null, settings_hash, failure: video.why }));
        continue;
      }
      // In order, so that of equal videos always the same one counts as the first.
      const clip_id = await hashFile(video.real, either).catch((error: unknown) => {
        either.throwIfAborted();
        append(Promise.resolve({ path, clip_id: null, settings_hash, failure: explainAccess(error) }));
        return null;
      });
      if (clip_id === null) continue;
      if (file.holds(path, clip_id)) {
        tally.there += 1;
        progress.count(null);
        continue;
      }
      const head: LineHead = { path, clip_id, settings_hash };
      const same_as = file.findSame(clip_id);
      const first = begun.get(clip_id);
      if (same_as !== null) append(Promise.resolve({ ...head, same_as }));
      else if (first !== undefined) append(first.then((line) => toCopyLine(head, line)));
      else {
        const work = { pool, head: { ...head, clip_id }, file: video.real, settings, signal: either };
        const line = queue.add(() => selectOne({ ...work, cache_dir: join(scratch, String(n)) }));
        begun.set(clip_id, line as Promise<Line>);
        append(line as Promise<Line>);
      }
    }
    await tail;
  } catch (error) {
    if (!signal.aborted) throw broken.signal.reason ?? error;
  } finally {
    queue.clear();
    pool.close();
    progress.close();
    file.close();
    rmSync(scratch, { recursive: true, force: true });
  }
  stderr.write(`${summarise(tally, videos.length, out, signal.aborted)}\n`);
  if (signal.aborted) return 130;
  return tally.failed > 0 ? 1 : 0;
}

async function listVideos(dir: string, signal: AbortSignal, say: (text: string) => void): Promise<Video[]> {
  const videos: Video[] = [];
  let others = 0;
  try {
    for await (const found of walkVideos((path) => realpath(join(dir, path)), "", signal)) {
      if (found.kind === "video" || found.kind === "unreadable") videos.push(found);
      else if (found.kind === "other") others += 1;
      else say(`${found.path}: a link to a folder that is walked already`);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new CommandProblem(`${dir} can't be listed: ${explainAccess(error)}`);
  }
  const aside = others === 0 ? "" : `; ${formatNumberOf(others, "other file")} left aside`;
  if (videos.length === 0) throw new CommandProblem(`There is no video in ${dir}${aside}.`);
  say(`${formatNumberOf(videos.length, "video")} in ${nameFile(dir)}${aside}`);
  const inside = join(await realpath(dir), sep);
  const away = videos.filter((video) => video.kind === "video" && !video.real.startsWith(inside)).length;
  if (away > 0)
    say(`${away} of them ${away === 1 ? "lies" : "lie"} outside this folder, where links in it lead`);
  return videos;
}

async function selectOne({
  pool,
  head,
  file,
  settings,
  cache_dir,
  signal,
}: {
  pool: DecoderPool;
  head: LineHead & { clip_id: string };
  file: string;
  settings: Options["settings"];
  cache_dir: string;
  signal: AbortSignal;
}): Promise<Line> {
  const options = { lane: "background", signal } as const;
  try {
    signal.throwIfAborted();
    const scan = await pool.run("read", { file, thumbs_dir: null, interval_secs: 1 }, options);
    mkdirSync(cache_dir, { recursive: true });
    const args = { clip_id: head.clip_id, file, index: scan.index, settings, cache_dir };
    return toSelectionLine(head, scan, await selectSideBySide(pool, args, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    const failure = error instanceof Error ? error.message : String(error);
    if (/ENOSPC|EDQUOT/.test(failure)) {
      throw new CommandProblem(
        `There is no room left on the disk for what is being worked on (${tmpdir()}). Free some, then run the same command to go on.`,
      );
    }
    return { ...head, failure };
  } finally {
    rmSync(cache_dir, { recursive: true, force: true });
  }
}

function summarise(
  { done, there, copies, failed }: { done: number; there: number; copies: number; failed: number },
  total: number,
  out: string,
  isStopped: boolean,
): string {
  const parts = [
    `${formatNumberOf(done, "clip")} done`,
    there > 0 && `${there} there already`,
    copies > 0 && `${formatNumberOf(copies, "copy", "copies")}`,
    failed > 0 && `${failed} could not be looked at`,
  ].filter((part) => part !== false);
  const left = total - done - there - copies - failed;
  const end = isStopped ? ` Stopped with ${left} left; run the same command to go on.` : "";
  return `${parts.join(", ")}. The lines are in ${nameFile(out)}.${end}`;
}
