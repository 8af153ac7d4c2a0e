import { join } from "node:path";
import type { Logger } from "pino";
import type { Clips } from "../clips/index.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import type { Questions } from "../questions/index.ts";
import type { Triples } from "../triples/index.ts";
import { createExports, type Exports } from "./exports.ts";
import { createImports, type Imports } from "./imports.ts";

export { registerExchangeRoutes } from "./routes.ts";

/** What key-frames are exported from and imported into. */
export type ExchangeParts = {
  clips: Clips;
  keyframes: KeyFrames;
  decisions: Decisions;
  questions: Questions;
  triples: Triples;
  jobs: Jobs;
  log: Logger;
};

/** Key-frames to and from the formats of other tools. */
export type Exchange = { exports: Exports; imports: Imports };

export function createExchange({ dataDir, ...parts }: ExchangeParts & { dataDir: string }): Exchange {
  return {
    exports: createExports(parts, join(dataDir, "exports")),
    imports: createImports(parts, join(dataDir, "imports")),
  };
}
