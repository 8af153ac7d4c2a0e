import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { TRPCError } from "@trpc/server";
import { confinePath, PathOutsideError } from "../../http/confine-path.ts";
import { isVideoName } from "../../media/video-name.ts";
import { type Walked, walkVideos } from "../../media/walk.ts";

/** A folder of the server from which clips may be added. */
export type Folder = { folder_id: string; path: string; name: string };

export type FolderEntry = {
  kind: "folder" | "file";
  name: string;
  /** Relative to the listed folder, with `/` between its parts. */
  path: string;
  /** Null for a folder. */
  bytes: number | null;
};

/** The folders that the owner listed, and nothing outside them. */
export type Folders = {
  list(): Folder[];
  browse(folder_id: string, path: string): Promise<FolderEntry[]>;
  /** The videos of a folder and of all folders in it. */
  walk(folder_id: string, path: string, signal: AbortSignal): AsyncGenerator<Walked, void, undefined>;
  /** The real path of a file in a listed folder. */
  resolve(folder_id: string, path: string): Promise<string>;
};

/** @param listed  Reads the owner's list anew, so that a change counts at once. */
export function createFolders(listed: () => string[]): Folders {
  const list = () =>
    [...new Set(listed())].map((path) => ({
      folder_id: createHash("sha256").update(path).digest("hex").slice(0, 12),
      path,
      name: basename(path) || path,
    }));

  const resolve = async (folder_id: string, path: string) => {
    const folder = list().find((one) => one.folder_id === folder_id);
    if (!folder) {
      throw new TRPCError({
        code: "NOT_FOUND",
        message: "This folder is not among those that the owner listed.",
      });
    }
    try {
      return await confinePath(folder.path, path);
    } catch (error) {
      if (error instanceof PathOutsideError) {
        throw new TRPCError({ code: "FORBIDDEN", message: error.message, cause: error });
      }
      throw new TRPCError({
        code: "NOT_FOUND",
        message: `${path || folder.path} can't be opened: it may have been moved or deleted.`,
        cause: error,
      });
    }
  };

  return {
    list,
    resolve,
    walk: (folder_id, path, signal) => walkVideos((inner) => resolve(folder_id, inner), path, signal),
    async browse(folder_id, path) {
      const real = await resolve(folder_id, path);
      const entries: FolderEntry[] = [];
      for (const name of (await readdir(real)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }))) {
        if (name.startsWith(".")) continue;
        const inner = path === "" ? name : `${path}/${name}`;
        // A link that leads out, or nowhere, is not shown.
        const target = await resolve(folder_id, inner).catch(() => null);
        if (target === null) continue;
        const found = await stat(join(target));
        if (found.isDirectory()) entries.push({ kind: "folder", name, path: inner, bytes: null });
        else if (found.isFile() && isVideoName(name)) {
          entries.push({ kind: "file", name, path: inner, bytes: found.size });
        }
      }
      return entries.sort((a, b) => Number(a.kind === "file") - Number(b.kind === "file"));
    },
  };
}
