import { describe, expect, it } from "vitest";
import { readOutputs } from "./index.ts";

const asked = "Question: Where is it?\nChoices:\nA. left\nB. right";

describe("outputs of others' models", () => {
  it("are read from lines and from lists at any depth, whatever the fields are called", () => {
    const lines = [
      { id: 7, question: asked, answer: "B", content: "<think>x</think><answer>B</answer>" },
      { id: 8, question: asked, answer: "B", content: null },
    ];
    const read = readOutputs(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"id": 9, "cont`);
    expect(read.outputs).toEqual([
      {
        id: "7",
        question: asked,
        options: { count: 2, texts: ["left", "right"] },
        gold: "B",
        kind: "choice",
        text: lines[0]?.content,
      },
    ]);
    expect(read.set_aside).toMatchObject([{ id: "8" }]);
    expect(read.bad_lines).toHaveLength(1);
    const nested = {
      a: {
        b: [{ question: { question: "How many?", ground_truth: 4 }, model_output: "<answer>4</answer>" }],
      },
    };
    expect(readOutputs(JSON.stringify(nested)).outputs).toMatchObject([
      { id: "1", question: "How many?", gold: "4", kind: "number", text: "<answer>4</answer>" },
    ]);
  });

  it("say so when a file holds none", () => {
    expect(readOutputs("[]")).toEqual({ outputs: [], set_aside: [], bad_lines: [] });
    expect(readOutputs("not a file of outputs").bad_lines.length).toBeGreaterThan(0);
  });
});
