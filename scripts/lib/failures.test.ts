import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readJunitFailures, readPlaywrightFailures, readVitestFailures } from "./failures.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-failures-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: string): string {
  const file = join(folder, "report");
  writeFileSync(file, content);
  return file;
}

test("vitest: what failed, passed only at the second go or could not be read is named by its path", () => {
  const report = {
    testResults: [
      {
        name: "/somewhere/apps/server/src/a.test.ts",
        status: "failed",
        assertionResults: [
          { fullName: "adds", status: "passed", failureMessages: [] },
          {
            fullName: "subtracts",
            status: "failed",
            failureMessages: ["\u001b[31mexpected 1\u001b[39m\n\n  to be 2"],
          },
          { fullName: "divides", status: "passed", failureMessages: ["expected 3"] },
        ],
      },
      { name: "packages/core/b.test.ts", status: "failed", message: "No such module", assertionResults: [] },
    ],
  };
  expect(readVitestFailures(write(JSON.stringify(report)))).toEqual([
    "apps/server/src/a.test.ts › subtracts: expected 1 | to be 2",
    "apps/server/src/a.test.ts › divides (passed at the second go): expected 3",
    "packages/core/b.test.ts › could not be read: No such module",
  ]);
});

test("Playwright: what passed only at the second go is named too, and says so", () => {
  const spec = (title: string, status: string) => ({
    title,
    file: "ask.spec.ts",
    tests: [{ status, results: [{ error: { message: "Timed out" } }, {}] }],
  });
  const report = {
    suites: [
      {
        specs: [spec("streams", "expected")],
        suites: [{ specs: [spec("stops", "flaky"), spec("cuts", "unexpected")] }],
      },
    ],
  };
  expect(readPlaywrightFailures(write(JSON.stringify(report)))).toEqual([
    "ask.spec.ts › stops (passed at the second go): Timed out",
    "ask.spec.ts › cuts: Timed out",
  ]);
});

test("pytest: failures and errors are named", () => {
  const xml =
    '<testsuites><testsuite name="pytest"><testcase classname="tests.a" name="test_one" time="0.1" /><testcase classname="tests.a" name="test_two" time="0.1"><failure message="assert 1 == 2&#10; where">text</failure></testcase></testsuite></testsuites>';
  expect(readJunitFailures(write(xml))).toEqual(["tests.a › test_two: assert 1 == 2 | where"]);
});
