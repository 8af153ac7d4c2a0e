import { execFile, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Elsewhere, type Executor, UnreachableError } from "./executor.ts";
import { createSlctlExecutor } from "./slctl/index.ts";
import type { SlctlChannel } from "./slctl/link.ts";

const run = promisify(execFile);

/** Where the trainer's Python lies in this checkout. */
export const TRAINER_DIR = join(import.meta.dirname, "../../../trainer");

/** There is no Python 3.10 or newer on this machine. */
export class NoPythonError extends UnreachableError {
  override name = "NoPythonError";
}

const CANDIDATES = ["python3", "python3.13", "python3.12", "python3.11", "python3.10"];

/**
 * Finds an interpreter that can run slctl.
 *
 * @param search_path  Like PATH.
 * @returns The absolute path of the first of the usual names that is Python 3.10 or newer.
 * @throws NoPythonError with what to install.
 */
export async function findPython(search_path: string): Promise<string> {
  const tooOld: string[] = [];
  for (const name of CANDIDATES) {
    for (const folder of search_path.split(":").filter((part) => part.startsWith("/"))) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        const { stdout } = await run(path, ["-I", "-c", "import sys; print(*sys.version_info[:2])"], {
          timeout: 10_000,
        });
        const [major = 0, minor = 0] = stdout.trim().split(" ").map(Number);
        if (major > 3 || (major === 3 && minor >= 10)) return path;
        tooOld.push(`${path} is ${major}.${minor}`);
      } catch {
        // Not there, or no working Python: the next candidate may be one.
      }
    }
  }
  const found = tooOld.length > 0 ? ` (${tooOld.join(", ")})` : "";
  throw new NoPythonError(
    `Python 3.10 or newer was not found on this machine${found}. Install python3 and try again; nothing else needs it.`,
  );
}

const KEPT_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|CUDA_.*|NVIDIA_.*|NCCL_.*|OMP_.*|MKL_.*|HF_.*|XDG_.*|SSL_CERT_.*|SLCTL_.*|(HTTP|HTTPS|NO|ALL)_PROXY|(http|https|no|all)_proxy)$/;

/** What a run may know of the server's environment; keys and tokens stay behind. */
export function runEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => KEPT_VARIABLES.test(name) && !/TOKEN|KEY|SECRET|PASSWORD/i.test(name),
    ),
  );
}

/**
 * This machine. One `slctl serve` child answers all questions; runs are no children of it and outlive it.
 *
 * @param options.root  Folder of the run directories, absolute.
 * @param options.search_path  Where to look for Python; PATH by default.
 */
export function createLocalExecutor(options: {
  root: string;
  trainer_dir?: string;
  search_path?: string;
  environment?: NodeJS.ProcessEnv;
  elsewhere?: Elsewhere | undefined;
}): Executor {
  const trainerDir = options.trainer_dir ?? TRAINER_DIR;
  const environment = options.environment ?? runEnvironment(process.env);
  let python: string | null = null;

  const open = async (): Promise<SlctlChannel> => {
    python ??= await findPython(options.search_path ?? process.env.PATH ?? "");
    const child = spawn(python, ["-s", "-m", "sightline_trainer.slctl", "serve"], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...environment, PYTHONPATH: trainerDir, PYTHONDONTWRITEBYTECODE: "1" },
      cwd: "/",
      detached: true,
    });
    let words = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      words = (words + text).slice(-2000);
    });
    child.on("error", (error) => {
      words = error.message;
      python = null;
    });
    return {
      input: child.stdin,
      output: child.stdout,
      kill: () => child.kill("SIGKILL"),
      lastWords: () => words.trim().split("\n").at(-1) ?? "",
    };
  };

  const executor = createSlctlExecutor({
    kind: "local",
    root: options.root,
    python: null,
    open,
    elsewhere: options.elsewhere,
  });
  return {
    ...executor,
    // Where no run was ever launched no Python needs to be started to say so.
    find: async (signal) => (existsSync(options.root) ? executor.find(signal) : []),
  };
}
