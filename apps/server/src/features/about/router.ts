import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { procedure, router } from "../../trpc.ts";
import { measureStorage } from "./storage.ts";

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../../package.json"), "utf8"),
) as { version: string };

export const aboutRouter = router({
  /** Which Sightline this is, and where its data lies. */
  get: procedure.query(({ ctx }) => ({
    version,
    node: process.version,
    hostname: hostname(),
    data_dir: ctx.app.dataDir,
    /** The data folder's name stands for the project. */
    project: basename(ctx.app.dataDir).replace(/^\./, ""),
  })),
  storage: procedure.query(({ ctx }) => measureStorage(ctx.app.dataDir)),
});
