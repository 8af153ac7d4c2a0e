import { readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { getPresetSettings, type KeyFrameSettings, KeyFrameSettingsSchema } from "@sightline/core/keyframes";

/** What keeps the command from working at all: told in a sentence, and ends it with 2. */
export class CommandProblem extends Error {
  override name = "CommandProblem";
}

export type Options = {
  /** Absolute. */
  dir: string;
  out: string;
  settings: KeyFrameSettings;
  jobs: number;
};

/**
 * Reads the command line.
 *
 * @param cwd  Where relative paths begin: the folder in which the person typed the command.
 * @returns Null where help was asked for.
 * @throws CommandProblem when something is wrong with it.
 */
export function readOptions(args: string[], cwd: string): Options | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [given, ...more] = positionals;
  if (given === undefined)
    throw new CommandProblem("Name the folder of videos: pnpm keyframes DIR --out FILE");
  if (more.length > 0) throw new CommandProblem(`One folder at a time: ${more.join(", ")} is too much.`);
  if (values.out === undefined) throw new CommandProblem("Name the file for the key-frames: --out FILE");
  const dir = resolve(cwd, given);
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandProblem(`${dir} is no folder.`);
  }
  const jobs = values.jobs === undefined ? availableParallelism() : Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 64) {
    throw new CommandProblem(`--jobs takes a whole number from 1 to 64, not “${values.jobs}”.`);
  }
  return { dir, out: resolve(cwd, values.out), settings: readSettings(values), jobs };
}

function readSettings(values: ReturnType<typeof parse>["values"]): KeyFrameSettings {
  const { preset, threshold, interval } = values;
  if (preset !== "sightline" && preset !== "embodied-r") {
    throw new CommandProblem(`--preset takes sightline or embodied-r, not “${preset}”.`);
  }
  if (preset === "embodied-r" && interval !== undefined) {
    throw new CommandProblem(
      "--interval has no say in embodied-r, which steps by the clip's own frame rate.",
    );
  }
  const usual = getPresetSettings(preset);
  const read = KeyFrameSettingsSchema.safeParse({
    ...usual,
    threshold: threshold === undefined ? usual.threshold : toNumber(threshold),
    interval_secs: interval === undefined ? usual.interval_secs : toNumber(interval),
  });
  if (read.success) return read.data;
  const is_threshold = read.error.issues.some(({ path }) => path[0] === "threshold");
  throw new CommandProblem(
    is_threshold
      ? `--threshold takes a number from 0 to 1, not “${threshold}”.`
      : `--interval takes seconds from 0.01 to 3600, not “${interval}”.`,
  );
}

const toNumber = (text: string) => (text.trim() === "" ? Number.NaN : Number(text));

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        out: { type: "string" },
        preset: { type: "string", default: "sightline" },
        threshold: { type: "string" },
        interval: { type: "string" },
        jobs: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    const said = (error as Error).message.split(". To ")[0];
    throw new CommandProblem(`${said}.\npnpm keyframes --help lists the options.`);
  }
}

export const readHelp = () => readFileSync(new URL("./help.txt", import.meta.url), "utf8");

/** A path as messages name it. */
export const nameFile = (path: string) => `“${basename(path)}”`;
