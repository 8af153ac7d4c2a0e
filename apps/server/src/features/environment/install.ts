import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { execa } from "execa";

const TRAINER_DIR = join(import.meta.dirname, "../../../../trainer");
const REQUIREMENTS = join(TRAINER_DIR, "requirements.txt");
const CONSTRAINTS = join(TRAINER_DIR, "constraints.txt");
const READY = "READY.json";

/** Where a trainer's environment lies: shared by everything on this machine that pins the same packages. */
export type EnvironmentPlace = {
  dir: string;
  python: string;
  /** Packages in all; the unit of progress. */
  packages: number;
};

/** The folder for caches: `SIGHTLINE_CACHE`, else the user's cache folder. */
function cacheFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.SIGHTLINE_CACHE) return environment.SIGHTLINE_CACHE;
  return join(environment.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sightline");
}

/** Names the environment by its pins and the interpreter's version, so that a changed pin makes another one. */
export async function locateEnvironment(base: string, environment = process.env): Promise<EnvironmentPlace> {
  const constraints = readFileSync(CONSTRAINTS, "utf8");
  const { stdout: version } = await execa(base, ["-I", "-c", "import sys; print(sys.version)"]);
  const hash = createHash("sha256").update(
    `${readFileSync(REQUIREMENTS, "utf8")}\n${constraints}\n${version}`,
  );
  const dir = join(cacheFolder(environment), "environments", hash.digest("hex").slice(0, 16));
  return { dir, python: join(dir, "bin", "python"), packages: constraints.trim().split("\n").length };
}

/** True once everything is installed and was seen to import. */
export function isReady(place: EnvironmentPlace): boolean {
  return existsSync(join(place.dir, READY)) && existsSync(place.python);
}

/**
 * Builds the environment, or goes on with one that was begun. Safe to repeat after any interruption: what pip finds
 * installed it leaves alone.
 *
 * @param onProgress  Gets packages done; the last tenth is for the check.
 * @throws Error with the last lines of pip's output and what to do.
 */
export async function installEnvironment(
  base: string,
  place: EnvironmentPlace,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(place.dir, { recursive: true });
  rmSync(join(place.dir, READY), { force: true });
  const total = Math.ceil(place.packages * 1.1);
  await runStep("make a virtual environment", base, ["-m", "venv", "--without-pip", place.dir], signal);
  // By itself, since venv keeps what hindered ensurepip to itself.
  await runStep("put pip into it", place.python, ["-m", "ensurepip", "--upgrade", "--default-pip"], signal);
  let done = 0;
  const args = [
    "-m",
    "pip",
    "install",
    "--disable-pip-version-check",
    "--no-input",
    "--progress-bar",
    "off",
    "-r",
    REQUIREMENTS,
    "-c",
    CONSTRAINTS,
  ];
  await runStep("install the trainer's packages", place.python, args, signal, (line) => {
    if (!/^\s*(Collecting|Requirement already satisfied)/.test(line)) return;
    done = Math.min(place.packages, done + 1);
    onProgress(done, total);
  });
  const versions = await importPackages(place.python, signal);
  writeFileSync(join(place.dir, READY), `${JSON.stringify(versions)}\n`);
  onProgress(total, total);
}

/** What the trainer found when it imported its packages. */
export type Versions = Record<string, string | boolean>;

const IMPORT = `
import json, torch, transformers, trl
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "trl": trl.__version__,
                  "cuda": torch.cuda.is_available()}))
`;

/**
 * Imports the trainer's packages with an interpreter and says which they are.
 *
 * @throws Error with the end of Python's output when one of them is missing or broken.
 */
export async function importPackages(python: string, signal: AbortSignal): Promise<Versions> {
  const output = await runStep("import the trainer's packages", python, ["-s", "-c", IMPORT], signal);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Versions;
}

/** Removes the environment, so that the next preparation begins anew. */
export function removeEnvironment(place: EnvironmentPlace): void {
  rmSync(place.dir, { recursive: true, force: true });
}

/** Versions that were seen at the end of the installation; null before. */
export function readVersions(place: EnvironmentPlace): Versions | null {
  if (!isReady(place)) return null;
  return JSON.parse(readFileSync(join(place.dir, READY), "utf8")) as Versions;
}

async function runStep(
  what: string,
  file: string,
  args: readonly string[],
  signal: AbortSignal,
  onLine?: (line: string) => void,
): Promise<string> {
  const child = execa(file, args, {
    all: true,
    reject: false,
    cancelSignal: signal,
    forceKillAfterDelay: 2000,
    env: { PYTHONNOUSERSITE: "1", OMP_NUM_THREADS: "1" },
  });
  if (onLine) createInterface({ input: child.stdout }).on("line", onLine);
  const result = await child;
  if (signal.aborted) throw new Error("cancelled");
  if (result.exitCode === 0) return result.stdout;
  const output = result.all ?? "";
  throw new Error(`Could not ${what}. ${explain(output)}\n${output.split("\n").slice(-12).join("\n")}`);
}

function explain(output: string): string {
  if (/No space left on device/.test(output)) return "The disk is full: free about 2 GB and prepare again.";
  if (/ensurepip is (not available|disabled)|No module named '?(venv|ensurepip)/.test(output))
    return "This Python lacks venv: install it (Debian: apt-get install python3-venv) and prepare again.";
  if (/Could not find a version|No matching distribution|ResolutionImpossible/.test(output))
    return "A pinned package has no build for this Python: use Python 3.10 to 3.13 on Linux or macOS.";
  if (/NewConnectionError|ReadTimeout|Temporary failure in name resolution|ConnectionError/.test(output))
    return "The package index could not be reached: check the network and prepare again.";
  return "Prepare again; if it fails in the same way, repair it, which begins anew.";
}
