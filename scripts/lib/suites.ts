import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium } from "./chromium.ts";
import {
  addCounts,
  type Counts,
  judge,
  readJunitReport,
  readPlaywrightReport,
  readVitestReport,
  showCounts,
} from "./counts.ts";
import { readJunitFailures, readPlaywrightFailures, readVitestFailures } from "./failures.ts";
import { type LeakWatch, watchLeaks } from "./leaks.ts";
import { ensurePythonEnv, PYTHON } from "./python-env.ts";
import { ensureSlurm } from "./slurm.ts";
import { ensureSshd } from "./sshd.ts";

const ROOT = join(import.meta.dirname, "../..");
const TRAINER = join(ROOT, "apps/trainer");
/** A suite that takes longer hangs. */
const LIMIT_MS = 60 * 60_000;
/** pytest's exit code when nothing was collected. */
const PYTEST_FOUND_NOTHING = 5;

const PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };

/** Environment of the run and the path where a suite may leave its report. */
type Run = { env: Record<string, string>; report: string };

/** Something that is run to its end, whatever became of the one before. */
export type Suite = {
  name: string;
  run(run: Run): Promise<Counts>;
  /** A line for each test in the report that went wrong, said again at the end. */
  readFailures?(report: string): string[];
};

const bin = (name: string) => join(ROOT, "node_modules/.bin", name);

const types = check("types", process.execPath, ["scripts/typecheck.mjs"]);
const lint = check("lint", bin("biome"), ["check", "--error-on-warnings", "."]);
const imports = check("import rules", bin("tsx"), ["scripts/check-imports.ts"]);
const wire = check("wire drift", bin("tsx"), ["scripts/gen-wire.ts", "--check"]);
const build = check("web build", process.execPath, ["scripts/lib/build-web.mjs"]);
/** Python lies beside the server's benches and commands as well. */
const PYTHON_FOLDERS = [".", "../server"];
const ruff = checkPython("ruff", [
  ["-m", "ruff", "check", ...PYTHON_FOLDERS],
  ["-m", "ruff", "format", "--check", ...PYTHON_FOLDERS],
]);
const pyright = checkPython("pyright", [["-m", "pyright", "--pythonpath", PYTHON]]);

/** Everything but what needs a browser. */
export const CHECKS: Suite[] = [
  types,
  lint,
  imports,
  wire,
  build,
  vitest(),
  pytest("not field"),
  ruff,
  pyright,
];

/** Everything that a clean clone can run. */
export const TESTS: Suite[] = [...CHECKS, playwright()];

/** What needs the real files beside the checkout: `*.field.test.ts`, pytest's mark and Playwright's tag `field`. */
export const FIELD_TESTS: Suite[] = [
  vitest({ SIGHTLINE_FIELD: "1" }),
  pytest("field"),
  build,
  playwright({ SIGHTLINE_FIELD: "1" }),
];

/**
 * Runs suites one after the other, then looks for what they left behind, and prints the sums as its last line.
 *
 * @returns the exit code.
 */
export async function runSuites(suites: Suite[]): Promise<number> {
  const watch = watchLeaks();
  const rows: { name: string; counts: Counts; secs: number }[] = [];
  const failures: string[] = [];
  for (const [index, { name, run, readFailures }] of suites.entries()) {
    console.log(`\n── ${name} ${"─".repeat(Math.max(0, 70 - name.length))}`);
    const begun = performance.now();
    const report = join(watch.folder, `report-${index}`);
    const counts = await run({ env: watch.env, report }).catch((error: unknown) => {
      console.error(error);
      return FAILED;
    });
    rows.push({ name, counts, secs: (performance.now() - begun) / 1000 });
    if (readFailures !== undefined && existsSync(report)) failures.push(...readFailures(report));
  }
  rows.push({ name: "nothing left behind", counts: await checkLeaks(watch), secs: 0 });

  console.log();
  for (const { name, counts, secs } of rows) {
    console.log(
      `${counts.failed === 0 ? "✓" : "✗"} ${name.padEnd(20)} ${showCounts(counts)} (${secs.toFixed(1)} s)`,
    );
  }
  if (failures.length > 0) console.log();
  for (const failure of failures) console.log(`✗ ${failure}`);
  const total = addCounts(rows.map(({ counts }) => counts));
  console.log(`\n${showCounts(total)}`);
  return total.failed === 0 ? 0 : 1;
}

async function checkLeaks(watch: LeakWatch): Promise<Counts> {
  const left = await watch.collect();
  for (const what of left) console.error(what);
  return left.length === 0 ? PASSED : FAILED;
}

/** A command that passes or fails as one test. */
function check(name: string, command: string, args: string[]): Suite {
  return {
    name,
    run: async ({ env }) => ((await runCommand(command, args, { env })) === 0 ? PASSED : FAILED),
  };
}

/** Commands of the tests' Python that pass or fail as one test. */
function checkPython(name: string, commands: string[][]): Suite {
  return withPython(name, async ({ env }, python) => {
    const codes: (number | null)[] = [];
    for (const args of commands) codes.push(await runCommand(python, args, { env, cwd: TRAINER }));
    return codes.every((code) => code === 0) ? PASSED : FAILED;
  });
}

function vitest(extra: Record<string, string> = {}): Suite {
  const suite = withPython("vitest", async ({ env, report }) => {
    ensureSshd();
    const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await runCommand(bin("vitest"), args, { env: { ...env, ...extra } });
    return judge(existsSync(report) ? readVitestReport(report) : null, code);
  });
  return { ...suite, readFailures: readVitestFailures };
}

function pytest(mark: string): Suite {
  const suite = withPython("pytest", async ({ env, report }, python) => {
    ensureSlurm();
    const args = ["-m", "pytest", "-q", "-m", mark, `--junitxml=${report}`];
    const code = await runCommand(python, args, { env, cwd: TRAINER });
    if (mark === "field" && code === PYTEST_FOUND_NOTHING) return { passed: 0, failed: 0, skipped: 0 };
    return judge(existsSync(report) ? readJunitReport(report) : null, code);
  });
  return { ...suite, readFailures: readJunitFailures };
}

function playwright(extra: Record<string, string> = {}): Suite {
  const suite = withPython("playwright", async ({ env, report }) => {
    const { problem } = ensureChromium();
    if (problem !== null) return fail(problem);
    const args = ["test", "--reporter=list,json", "--pass-with-no-tests"];
    const code = await runCommand(bin("playwright"), args, {
      env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, ...extra },
    });
    const counts = existsSync(report) ? readPlaywrightReport(report) : null;
    const isEmptyField = extra.SIGHTLINE_FIELD !== undefined && code === 0;
    return isEmptyField && counts !== null ? counts : judge(counts, code);
  });
  return { ...suite, readFailures: readPlaywrightFailures };
}

function withPython(name: string, run: (run: Run, python: string) => Promise<Counts>): Suite {
  return {
    name,
    async run(given) {
      const { python, problem } = ensurePythonEnv();
      return python === null ? fail(problem) : run(given, python);
    },
  };
}

function fail(problem: string): Counts {
  console.error(problem);
  return FAILED;
}

type CommandOptions = { env: Record<string, string>; cwd?: string };

/** Runs a command in a process group of its own, which ends with us and at the limit. */
function runCommand(
  command: string,
  args: string[],
  { env, cwd = ROOT }: CommandOptions,
): Promise<number | null> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  const interrupt = () => {
    end();
    process.exit(130);
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const limit = setTimeout(() => {
    console.error(`It has not ended after ${LIMIT_MS / 60_000} minutes and is stopped.`);
    end();
  }, LIMIT_MS);
  return new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => {
    clearTimeout(limit);
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  });
}
