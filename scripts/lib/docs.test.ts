import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const isPage = (path: string) => path.endsWith(".md");
const pages = [
  ...readdirSync(ROOT).filter(isPage),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter(isPage)
    .map((path) => join("docs", path)),
];

/** Where the links of a page lead within the project, from its root. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(page), target)));
}

describe("the pages of the project", () => {
  it("are all reached from the first one, and link to nothing that is not there", () => {
    const dead: string[] = [];
    const reached = new Set(["README.md"]);
    for (const page of reached)
      for (const target of linksOf(page)) {
        if (!existsSync(join(ROOT, target))) dead.push(`${page}: ${target}`);
        else if (isPage(target)) reached.add(target);
      }
    expect(dead).toEqual([]);
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it("are dated and named alike where they tell a decision", () => {
    const decisions = pages.filter((page) => page.startsWith("docs/decisions/"));
    expect(decisions.length).toBeGreaterThan(10);
    for (const page of decisions) {
      const [, year, month, day] = /^docs\/decisions\/(\d{4})-(\d\d)-(\d\d)-[a-z0-9-]+\.md$/.exec(page) ?? [];
      const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
      const said = date.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
      expect(readFileSync(join(ROOT, page), "utf8"), page).toMatch(new RegExp(`^# .+\n\n${said}\n\n`));
    }
  });
});
