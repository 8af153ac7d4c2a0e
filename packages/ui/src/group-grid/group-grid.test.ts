import { completionLine } from "@sightline/core/testing";
import { describe, expect, it } from "vitest";
import { getQuestion, getSpread, getVerdict } from "./index.tsx";

const judge = {
  variant: "as_written",
  letter: "B",
  agrees: true,
  status: "ok" as const,
  ms: 1,
  cached: false,
};
const accuracy = (raw: number | null) => ({ accuracy: { raw, weight: 0.3, null_reason: null } });

describe("groups", () => {
  it("tells right, consistent and not judged apart", () => {
    expect(getVerdict(completionLine({}))).toBe("consistent");
    expect(getVerdict(completionLine({}, { judges: [{ ...judge, agrees: false, letter: "C" }] }))).toBe(
      "inconsistent",
    );
    expect(
      getVerdict(
        completionLine({}, { judges: [{ ...judge, agrees: null, letter: null, status: "timeout" }] }),
      ),
    ).toBe("unjudged");
    expect(getVerdict(completionLine({}, { judges: [] }))).toBe("unjudged");
    expect(getVerdict(completionLine({}, { rewards: accuracy(0) }))).toBe("wrong");
    expect(getVerdict(completionLine({}, { rewards: accuracy(null) }))).toBe("wrong");
  });

  it("takes the spread as TRL does", () => {
    expect(getSpread([1, 0, 1, 0])).toEqual({ mean: 0.5, sd: expect.closeTo(0.57735, 5), n: 4 });
    expect(getSpread([1, Number.NaN])).toEqual({ mean: 1, sd: 0, n: 1 });
    expect(getSpread([])).toBeNull();
  });

  it("finds the question in a prompt", () => {
    expect(getQuestion("Frames …\nQuestion: Which way does it head now?\nA. north\nB. south\n")).toBe(
      "Which way does it head now?",
    );
    expect(getQuestion("start west 1 left 2 around")).toBe("start west 1 left 2 around");
    expect(getQuestion(null)).toBeNull();
  });
});
