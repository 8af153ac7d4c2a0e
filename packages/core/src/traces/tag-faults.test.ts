import { describe, expect, it } from "vitest";
import { getTagFaults, TAG_FAULTS } from "./tag-faults.ts";

describe("getTagFaults", () => {
  it("finds none where each tag is there once, whatever stands between", () => {
    expect(getTagFaults("<think>left <b>then</b> left</think>\n<answer>B</answer>")).toBe(0);
  });

  it("names what is missing, doubled and out of order", () => {
    expect(getTagFaults("B")).toBe(TAG_FAULTS.missing);
    expect(getTagFaults("<think>a</think><answer>B")).toBe(TAG_FAULTS.missing);
    expect(getTagFaults("<think>a</think><think>b</think><answer>B</answer>")).toBe(TAG_FAULTS.doubled);
    expect(getTagFaults("<answer>B</answer><think>a</think>")).toBe(TAG_FAULTS.out_of_order);
    expect(getTagFaults("<answer>A</answer><think>a</think><answer>B</answer>")).toBe(
      TAG_FAULTS.doubled | TAG_FAULTS.out_of_order,
    );
  });
});
