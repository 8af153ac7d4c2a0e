import type { Job } from "@sightline/core/clips";
import type { Logger } from "pino";
import { findPython } from "../../executors/local.ts";
import type { Jobs } from "../jobs/tray.ts";
import {
  type EnvironmentPlace,
  importPackages,
  installEnvironment,
  isReady,
  locateEnvironment,
  readVersions,
  removeEnvironment,
  type Versions,
} from "./install.ts";

/** What the trainer needs to run here, and how far it is. */
export type EnvironmentStatus = {
  state: "no_python" | "absent" | "preparing" | "ready";
  /** A sentence with what to do, when it is not ready and nothing is being done. */
  problem: string | null;
  /** The interpreter that trains; null until it is ready. */
  python: string | null;
  versions: Versions | null;
};

/** The trainer's Python environment on this machine. Nothing but training needs it. */
export type Environment = {
  status(): Promise<EnvironmentStatus>;
  /** Prepares it in the background; one preparation at a time. */
  prepare(options?: { isRepair: boolean }): Promise<Job | null>;
};

/**
 * @param parts.interpreter  A Python that has the trainer's packages already, such as an HPC module's; null to make an
 *   environment.
 */
export function createEnvironment(parts: {
  jobs: Jobs;
  log: Logger;
  interpreter: string | null;
}): Environment {
  if (parts.interpreter !== null) return adopt(parts.interpreter);
  let place: Promise<{ base: string; place: EnvironmentPlace }> | null = null;
  let running: Job | null = null;
  let problem: string | null = null;

  const locate = () => {
    place ??= findPython(process.env.PATH ?? "").then(async (base) => ({
      base,
      place: await locateEnvironment(base),
    }));
    place.catch(() => {
      place = null;
    });
    return place;
  };

  return {
    async status() {
      try {
        const { place: at } = await locate();
        if (isReady(at))
          return { state: "ready", problem: null, python: at.python, versions: readVersions(at) };
        return { state: running ? "preparing" : "absent", problem, python: null, versions: null };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { state: "no_python", problem: message, python: null, versions: null };
      }
    },
    async prepare(options = { isRepair: false }) {
      if (running) return running;
      const { base, place: at } = await locate();
      if (isReady(at) && !options.isRepair) return null;
      problem = null;
      const about = { kind: "environment", title: "Preparing the trainer", clip_id: null } as const;
      const { job, ended } = parts.jobs.start(about, async ({ begin, progress, signal }) => {
        begin();
        if (options.isRepair) removeEnvironment(at);
        await installEnvironment(base, at, progress, signal);
      });
      running = job;
      void ended.then((end) => {
        running = null;
        problem = end.problem;
        parts.log.info({ state: end.state }, "the trainer's environment");
      });
      return job;
    },
  };
}

function adopt(python: string): Environment {
  let looked: Promise<EnvironmentStatus> | null = null;
  const look = () =>
    importPackages(python, new AbortController().signal).then(
      (versions): EnvironmentStatus => ({ state: "ready", problem: null, python, versions }),
      (error: unknown): EnvironmentStatus => {
        looked = null;
        const problem = error instanceof Error ? error.message : String(error);
        return { state: "absent", problem, python: null, versions: null };
      },
    );
  return {
    status() {
      looked ??= look();
      return looked;
    },
    prepare: async () => null,
  };
}
