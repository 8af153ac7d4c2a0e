import { readFileSync } from "node:fs";

/** How the tests of a suite went. */
export type Counts = { passed: number; failed: number; skipped: number };

export function addCounts(all: Counts[]): Counts {
  const sum = (pick: (one: Counts) => number) => all.reduce((total, one) => total + pick(one), 0);
  return {
    passed: sum((one) => one.passed),
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped),
  };
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

/** A file that could not even be read counts as a failed test. */
export function readVitestReport(file: string): Counts {
  const report = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  const unread = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unread.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  errors: unknown[];
};

export function readPlaywrightReport(file: string): Counts {
  const { stats, errors } = JSON.parse(readFileSync(file, "utf8")) as PlaywrightReport;
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

/** Reads pytest's JUnit file, whose root holds one `testsuite`. */
export function readJunitReport(file: string): Counts {
  const tag = /<testsuite\s[^>]*>/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  const read = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(tag)?.[1] ?? 0);
  const failed = read("failures") + read("errors");
  const skipped = read("skipped");
  return { passed: Math.max(0, read("tests") - failed - skipped), failed, skipped };
}

/**
 * What a suite counts for, given how its process ended: one that failed without a failed test (a crash, an
 * unhandled error, a time-out), and one that ran nothing, are failures.
 */
export function judge(counts: Counts | null, exitCode: number | null): Counts {
  const found = counts ?? { passed: 0, failed: 0, skipped: 0 };
  const ranNothing = found.passed + found.failed + found.skipped === 0;
  return found.failed === 0 && (exitCode !== 0 || ranNothing) ? { ...found, failed: 1 } : found;
}

export function showCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
