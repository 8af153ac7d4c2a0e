import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPython } from "./versions.mjs";

const ROOT = join(import.meta.dirname, "../..");
const VENV = join(ROOT, ".venv");
/** The interpreter of the tests' environment, once that is made. */
export const PYTHON = join(VENV, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
const STAMP = join(VENV, ".sightline-installed");
const TRAINER = join(ROOT, "apps/trainer");
const PINS = ["pyproject.toml", "requirements.txt", "constraints.txt"];

/** What servers under test train with: the tests' Python, unless the environment names another one. */
export function trainerPython(): Record<string, string> {
  const named = process.env.SIGHTLINE_TRAINER_PYTHON;
  if (named !== undefined) return { SIGHTLINE_TRAINER_PYTHON: named };
  return existsSync(STAMP) ? { SIGHTLINE_TRAINER_PYTHON: PYTHON } : {};
}

/** The Python of the tests' environment, made or brought up to date where needed. */
export function ensurePythonEnv(): { python: string; problem: null } | { python: null; problem: string } {
  const pins = createHash("sha256");
  for (const file of PINS) pins.update(readFileSync(join(TRAINER, file)));
  const wanted = pins.digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return { python: PYTHON, problem: null };

  const base = findPython();
  if (base === null) return { python: null, problem: "The Python tests need Python 3.10 or newer." };
  console.log("Installing what the Python tests need …");
  if (!existsSync(PYTHON) && !makeVenv(base)) {
    return {
      python: null,
      problem: "Python could not make an environment. Install its part: sudo apt-get install -y python3-venv",
    };
  }
  const packages = ["-e", ".[dev]", "-r", "requirements.txt", "-c", "constraints.txt"];
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-input"];
  const pip = spawnSync(PYTHON, ["-m", "pip", "install", ...quiet, ...packages], {
    cwd: TRAINER,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (pip.status !== 0)
    return { python: null, problem: "pip could not install the trainer's packages: see above." };
  writeFileSync(STAMP, wanted);
  return { python: PYTHON, problem: null };
}

function makeVenv(base: string): boolean {
  const { status } = spawnSync(base, ["-m", "venv", VENV], { stdio: ["ignore", "inherit", "inherit"] });
  // Debian without python3-venv leaves half an environment, which would look like a whole one the next time.
  if (status !== 0) rmSync(VENV, { recursive: true, force: true });
  return status === 0;
}
