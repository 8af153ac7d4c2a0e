import { describe, expect, test } from "vitest";
import { getContrast, getDistance, type Vision } from "./colour.ts";
import { type Meaning, meanings, surfaces } from "./tokens.ts";

const names = Object.keys(meanings) as Meaning[];
const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b] as const));

test("contrast and distance are right where the answer is known", () => {
  expect(getContrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(getContrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(getDistance("#000000", "#ffffff", "normal")).toBeCloseTo(100, 1);
  // Red and green of one lightness: far apart for most people, close for those without green cones.
  expect(getDistance("#d00000", "#5e7a00", "deutan")).toBeLessThan(
    getDistance("#d00000", "#5e7a00", "normal") / 2,
  );
});

describe.each(["light", "dark"] as const)("%s scheme", (scheme) => {
  const grounds = (["ground", "surface", "raised", "sunken", "hover"] as const).map(
    (name) => surfaces[name][scheme],
  );

  test.each(names)("%s: marks have contrast 3, text 4.5, on every ground", (name) => {
    const { mark, text, soft } = meanings[name];
    for (const ground of grounds) {
      expect(getContrast(mark[scheme], ground)).toBeGreaterThanOrEqual(3);
      expect(getContrast(text[scheme], ground)).toBeGreaterThanOrEqual(4.5);
    }
    expect(getContrast(text[scheme], soft[scheme])).toBeGreaterThanOrEqual(4.5);
  });

  test.each(["ink", "ink-2", "ink-3", "accent-text"] as const)("%s is legible on every ground", (name) => {
    for (const ground of [...grounds, surfaces["accent-soft"][scheme]]) {
      expect(getContrast(surfaces[name][scheme], ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each([
    ["normal", 10],
    ["protan", 5],
    ["deutan", 5],
    ["tritan", 5],
  ] as [Vision, number][])("meanings look apart with %s vision", (vision, least) => {
    for (const [a, b] of pairs) {
      const distance = getDistance(meanings[a].mark[scheme], meanings[b].mark[scheme], vision);
      expect(distance, `${a} and ${b}`).toBeGreaterThanOrEqual(least);
    }
  });
});
