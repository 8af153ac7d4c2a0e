import { mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { createDecoderPool, type DecoderPool } from "../../media/decoder-pool.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createDrawing, type Drawing } from "./drawing.ts";
import { createFolders, type Folders } from "./folders.ts";
import { type Added, createLibrary, type Library } from "./library.ts";
import { registerMediaRoutes } from "./media-routes.ts";
import { createProxies } from "./proxies.ts";
import { createReader } from "./reading.ts";
import { createClipStore } from "./store.ts";
import { createUploads, DEFAULT_QUOTA, type Quota } from "./uploads.ts";

/** What happened to one file of a folder. */
export type AddedFromFolder = { path: string } & ({ added: Added } | { problem: string });

/** Clips: the library, what fills it, and what serves it. */
export type Clips = {
  library: Library;
  folders: Folders;
  pool: DecoderPool;
  drawing: Drawing;
  addFromFolder(folder_id: string, paths: string[]): Promise<AddedFromFolder[]>;
  registerRoutes(server: FastifyInstance): void;
  /** Call after the jobs have been closed. */
  close(): void;
};

export type ClipsOptions = {
  db: Db;
  dataDir: string;
  log: Logger;
  jobs: Jobs;
  /** Folders of this machine from which clips may be added. */
  folders?: string[];
  quota?: Quota;
};

export function createClips({
  db,
  dataDir,
  log,
  jobs,
  folders: listed,
  quota = DEFAULT_QUOTA,
}: ClipsOptions): Clips {
  const clipsDir = join(dataDir, "clips");
  mkdirSync(clipsDir, { recursive: true });
  const store = createClipStore(db);
  const library = createLibrary(store, clipsDir);
  const pool = createDecoderPool();
  const reader = createReader({ library, jobs, pool, log });
  const proxies = createProxies({ library, jobs, pool, log });
  const uploads = createUploads({ dataDir, library, sumBytes: store.sumBytes, quota, log });
  const folders = createFolders(() => [...(listed ?? []), ...listFromEnvironment()]);

  library.onUnread(reader.read);
  library.onProxyWanted(proxies.make);
  const unfinished = store.listUnfinished();
  for (const clip_id of unfinished.reading) reader.read(clip_id);
  for (const clip_id of unfinished.proxies) proxies.make(clip_id);
  library.finishEmptying().catch((error: unknown) => log.error({ err: error }, "emptying the trash"));
  uploads.recover().catch((error: unknown) => log.error({ err: error }, "bringing in finished uploads"));

  return {
    library,
    folders,
    pool,
    drawing: createDrawing({ library, pool }),
    async addFromFolder(folder_id, paths) {
      const results: AddedFromFolder[] = [];
      for (const path of paths) {
        try {
          const file = await folders.resolve(folder_id, path);
          const found = await stat(file);
          const { size } = found;
          if (!found.isFile()) throw new Error("This is a folder, not a file.");
          if (size > quota.file_bytes || size > quota.total_bytes - store.sumBytes()) {
            throw new Error("The library has no room for this file.");
          }
          results.push({ path, added: await library.add({ path: file, name: basename(path), move: false }) });
        } catch (error) {
          log.warn({ err: error, path }, "adding a file of a folder");
          results.push({ path, problem: explain(error) });
        }
      }
      return results;
    },
    registerRoutes(server) {
      registerMediaRoutes(server, { library, pool });
      uploads.register(server);
    },
    close() {
      uploads.close();
      pool.close();
    },
  };
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM") return "The server may not read this file.";
  return message;
}

/** SIGHTLINE_FOLDERS: folders with the system's path separator between them. */
function listFromEnvironment(): string[] {
  const separator = process.platform === "win32" ? ";" : ":";
  return (process.env.SIGHTLINE_FOLDERS ?? "")
    .split(separator)
    .filter((path) => path !== "")
    .map((path) => resolve(path));
}
