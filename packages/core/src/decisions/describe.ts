import { formatNumberOf } from "../format/index.ts";
import type { Decided, SelectionVersion } from "./types.ts";

/** What was done, as the rest of a sentence that begins with the author: "shifted key-frame 60 to frame 65". */
export function describeDecided(decided: Decided): string {
  switch (decided.kind) {
    case "keep":
      return `confirmed key-frame ${decided.frame}`;
    case "drop":
      return `dropped key-frame ${decided.frame}`;
    case "add":
      return `added frame ${decided.frame}`;
    case "shift":
      return `shifted key-frame ${decided.frame} to frame ${decided.to_frame}`;
    case "action_right":
      return `called ${decided.said_action} right at key-frame ${decided.frame}`;
    case "action_wrong": {
      const { said_action, right_action, frame } = decided;
      if (right_action === null) return `called ${said_action ?? "the action"} wrong at key-frame ${frame}`;
      return said_action === null
        ? `set ${right_action} at key-frame ${frame}`
        : `set ${right_action} instead of ${said_action} at key-frame ${frame}`;
    }
    case "note":
      return decided.note === ""
        ? `took the note away at key-frame ${decided.frame}`
        : `noted at key-frame ${decided.frame}: ${decided.note}`;
    case "undo":
      return "took a decision back";
    case "redo":
      return "brought a decision back";
    case "return":
      return `returned to version ${decided.to_version}`;
    case "import":
      return `took ${formatNumberOf(decided.frames.length, "key-frame")} from ${decided.source}`;
  }
}

/** What of a version differs from the extractor's word, and what a person only agreed with. */
export function countCorrections({ in_force }: Pick<SelectionVersion, "in_force">): {
  /** Decisions in force that drop, add or shift a key-frame or call an action wrong. */
  corrections: number;
  /** Decisions in force that confirm a key-frame or an action. */
  confirmations: number;
  notes: number;
  /** Who made them, in order of their first one. */
  authors: string[];
} {
  const count = (...kinds: Decided["kind"][]) => in_force.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    corrections: count("drop", "add", "shift", "action_wrong"),
    confirmations: count("keep", "action_right"),
    notes: count("note"),
    authors: [...new Set(in_force.map(({ author }) => author))],
  };
}
