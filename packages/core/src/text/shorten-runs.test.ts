import { describe, expect, it } from "vitest";
import { splitInlineOptions } from "../benchmarks/index.ts";
import { parseDescription } from "../perception/index.ts";
import { scoreCompletion } from "../rewards/index.ts";

const LONG = 100_000;
const options = { count: 4, texts: ["left", "right", "ahead", "behind"] };

/** Milliseconds of the processor for one reading; what is quadratic in the run takes minutes. */
function measure(read: () => unknown): number {
  const before = process.cpuUsage();
  read();
  return process.cpuUsage(before).user / 1000;
}

describe("a model that has lost its way and writes nothing but blanks", () => {
  const blanks = ["\n".repeat(LONG), " ".repeat(LONG), "\t \n".repeat(LONG / 3), "*".repeat(LONG)];
  const heads = ["Answer", "The answer is", "Answer:", "\\boxed{", "\\boxed{A ".repeat(1000), ""];

  it.each(
    blanks.flatMap((run) =>
      heads.map((head) => [head.slice(0, 20), JSON.stringify(run.slice(0, 3)), head + run]),
    ),
  )("is read in no time: %s, then %s", (_, __, text) => {
    const gold = { answer: "A", options, kind: "choice" } as const;
    for (const said of [`${text}zz`, `<think>t</think><answer>${text}zz</answer>`]) {
      for (const rules of ["sightline", "embodied-r"] as const)
        expect(measure(() => scoreCompletion(said, gold, rules))).toBeLessThan(2000);
      expect(measure(() => parseDescription(`1. Move forward\n2. ${said}\n3. x`, false))).toBeLessThan(2000);
      expect(measure(() => splitInlineOptions(`Where?${said}\nA. left\nB. right`))).toBeLessThan(2000);
    }
  });

  it("loses nothing of what it says besides", () => {
    const blank = "\n".repeat(LONG);
    const said = `1. Rotate left${blank}2. A bench comes into view.${blank}3. The kiosk is gone.${blank}`;
    expect(parseDescription(said, false)).toMatchObject({
      action: "rotate left",
      change: "A bench comes into view.",
      relevant: "The kiosk is gone.",
      raw: said,
    });
  });
});
