import { readdir, stat } from "node:fs/promises";
import { isVideoName } from "./video-name.ts";

/**
 * One thing that a walk came by; `path` is below the walked folder, with `/` between its parts.
 * unreadable: nobody knows what it holds, and `why` says so. other: no video by its name. again: a link to a folder that
 * is walked already.
 */
export type Walked =
  | { kind: "video"; path: string; real: string; bytes: number }
  | { kind: "unreadable"; path: string; why: string }
  | { kind: "other" | "again"; path: string };

/**
 * Lists the videos of a folder and of the folders in it, in the order of their paths by code unit, whatever the system
 * says first. Links are followed; a folder is walked once, however many links lead to it. Hidden entries are left out
 * without a word.
 *
 * @param resolve  Turns a path below the folder into a real one; throws where there is nothing, or nothing allowed.
 * @param from  Where to begin, below the folder; `""` for the folder itself.
 * @throws What `resolve` and reading throw for `from` itself.
 */
export async function* walkVideos(
  resolve: (path: string) => Promise<string>,
  from = "",
  signal?: AbortSignal,
): AsyncGenerator<Walked, void, undefined> {
  const walked = new Set<string>();

  async function* walk(folder: string, real: string): AsyncGenerator<Walked, void, undefined> {
    walked.add(real);
    for (const name of (await readdir(real)).sort()) {
      signal?.throwIfAborted();
      if (name.startsWith(".")) continue;
      const path = folder === "" ? name : `${folder}/${name}`;
      yield* meet(path, name);
    }
  }

  async function* meet(path: string, name: string): AsyncGenerator<Walked, void, undefined> {
    let real: string;
    let found: Awaited<ReturnType<typeof stat>>;
    try {
      real = await resolve(path);
      found = await stat(real);
    } catch (error) {
      // What is no video by its name may be missing: a dangling link to a readme is nobody's loss.
      if (isVideoName(name)) yield { kind: "unreadable", path, why: explainAccess(error) };
      return;
    }
    if (found.isDirectory()) {
      if (walked.has(real)) {
        yield { kind: "again", path };
        return;
      }
      try {
        yield* walk(path, real);
      } catch (error) {
        if (signal?.aborted || !(error instanceof Error) || !("code" in error)) throw error;
        yield { kind: "unreadable", path, why: explainAccess(error) };
      }
    } else if (!isVideoName(name)) yield { kind: "other", path };
    else if (!found.isFile())
      yield { kind: "unreadable", path, why: "This is a device or a pipe, not a file." };
    else yield { kind: "video", path, real, bytes: found.size };
  }

  yield* walk(from, await resolve(from));
}

/** Why a file or folder can't be opened, in a sentence. */
export function explainAccess(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM") return "It may not be read by the user that runs this.";
  if (code === "ENOENT")
    return "It is not there: a link that leads nowhere, or a file that was just taken away.";
  if (code === "ELOOP") return "This link leads to itself.";
  if (code === "EIO") return "The disk could not read it.";
  return message;
}
