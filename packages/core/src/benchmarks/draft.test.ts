import { expect, it } from "vitest";
import { checkDraft, cleanDraft } from "./draft.ts";

it("what was pasted loses the controls that nobody sees, and is empty where nothing else was there", () => {
  const draft = cleanDraft({
    text: "\u0000Where?\u0007\n\tBehind the 😀?",
    options: ["\u0000left", "right\u001b"],
    gold: "A\u0000",
    task: "\u0000",
  });
  expect(draft).toEqual({
    text: "Where?\n\tBehind the 😀?",
    options: ["left", "right"],
    gold: "A",
    task: "unknown",
  });
  const blank = cleanDraft({ ...draft, text: " \u0000 " });
  expect(checkDraft(blank, "choice")).toBe("Write the question's text.");
});
