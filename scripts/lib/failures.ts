import { readFileSync } from "node:fs";

/** A test that went wrong: where it stands, its name, and the first line of what it said. */
type Failure = { where: string; name: string; said: string };

type VitestReport = {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** Those that failed, and those that passed only at the second go, which say so. */
export function readVitestFailures(file: string): string[] {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  return testResults
    .flatMap(({ name: where, status, message = "", assertionResults }): Failure[] =>
      status === "failed" && assertionResults.length === 0
        ? [{ where, name: "could not be read", said: message }]
        : assertionResults
            .filter(({ failureMessages }) => failureMessages.length > 0)
            .map((test) => ({
              where,
              name: nameByGo(test.fullName, test.status === "passed"),
              said: test.failureMessages.join("\n"),
            })),
    )
    .map(showFailure);
}

type PlaywrightSuite = {
  specs: {
    title: string;
    file: string;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
  suites?: PlaywrightSuite[];
};

/** Those that failed, and those that passed only at the second go, which say so. */
export function readPlaywrightFailures(file: string): string[] {
  const { suites } = JSON.parse(readFileSync(file, "utf8")) as { suites: PlaywrightSuite[] };
  const inSuite = (suite: PlaywrightSuite): Failure[] => [
    ...suite.specs.flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === "unexpected" || status === "flaky")
        .map(({ status, results }) => ({
          where: spec.file,
          name: nameByGo(spec.title, status === "flaky"),
          said: results.flatMap(({ error }) => error?.message ?? []).join("\n"),
        })),
    ),
    ...(suite.suites ?? []).flatMap(inSuite),
  ];
  return suites.flatMap(inSuite).map(showFailure);
}

export function readJunitFailures(file: string): string[] {
  const failed = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*>\s*<(?:failure|error) message="([^"]*)"/g;
  return [...readFileSync(file, "utf8").matchAll(failed)].map(([, where = "", name = "", said = ""]) =>
    showFailure({ where, name, said: said.replaceAll("&#10;", "\n") }),
  );
}

function nameByGo(name: string, passed: boolean): string {
  return passed ? `${name} (passed at the second go)` : name;
}

function showFailure({ where, name, said }: Failure): string {
  const lines = said
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one.
    .replaceAll(/\u001b\[[0-9;]*m/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return `${where.replace(/^.*\/(?=(apps|packages|scripts)\/)/, "")} › ${name}: ${lines.slice(0, 12).join(" | ").slice(0, 900)}`;
}
