import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  addCounts,
  judge,
  readJunitReport,
  readPlaywrightReport,
  readVitestReport,
  showCounts,
} from "./counts.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-counts-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: string): string {
  const file = join(folder, "report");
  writeFileSync(file, content);
  return file;
}

test("vitest: a file that could not be read is a failed test", () => {
  const report = {
    numPassedTests: 7,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [
      { status: "passed", assertionResults: [{}, {}] },
      { status: "failed", assertionResults: [{}] },
      { status: "failed", assertionResults: [] },
    ],
  };
  expect(readVitestReport(write(JSON.stringify(report)))).toEqual({ passed: 7, failed: 2, skipped: 3 });
});

test("Playwright: a test that passed at the second try has passed; the list names it", () => {
  const report = { stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{}] };
  expect(readPlaywrightReport(write(JSON.stringify(report)))).toEqual({ passed: 5, failed: 2, skipped: 2 });
});

test("pytest: errors are failures", () => {
  const xml =
    '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="10" time="0.1"><testcase/></testsuite></testsuites>';
  expect(readJunitReport(write(xml))).toEqual({ passed: 4, failed: 3, skipped: 3 });
});

test("a suite that crashed, left no report or ran nothing has failed", () => {
  const good = { passed: 3, failed: 0, skipped: 0 };
  expect(judge(good, 0)).toEqual(good);
  expect(judge(good, 1).failed).toBe(1);
  expect(judge(good, null).failed).toBe(1);
  expect(judge(null, 0).failed).toBe(1);
  expect(judge({ passed: 0, failed: 0, skipped: 0 }, 0).failed).toBe(1);
  expect(judge({ passed: 3, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 });
});

test("suites add up to one line", () => {
  const suites = [
    { passed: 3, failed: 0, skipped: 1 },
    { passed: 4, failed: 2, skipped: 0 },
  ];
  expect(showCounts(addCounts(suites))).toBe("7 passed, 2 failed, 1 skipped");
});
