import { DecidedSchema, type Decision, DecisionPlaceSchema } from "@sightline/core/decisions";
import { z } from "zod";

const PREFIX = "sightline.unsent-decision.";

const Unsent = z.intersection(
  DecisionPlaceSchema.extend({ version: z.int(), author: z.string(), made_secs: z.number() }),
  DecidedSchema,
);

/** Keeps a decision in this browser until the server has answered, so that neither a reload nor a crash loses it. */
export function keepUnsent(decision: Decision): void {
  try {
    localStorage.setItem(PREFIX + decision.decision_id, JSON.stringify(decision));
  } catch {
    // No room in the browser: the tab holds it, and goes on sending it.
  }
}

export function forgetUnsent(decision_id: string): void {
  localStorage.removeItem(PREFIX + decision_id);
}

/** What this browser still holds, of all clips and tabs, in the order in which it was decided. */
export function listUnsent(): Decision[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => readUnsent(localStorage.getItem(key)) ?? [])
    .sort((a, b) => a.made_secs - b.made_secs);
}

function readUnsent(text: string | null): Decision | null {
  try {
    return Unsent.parse(JSON.parse(text ?? ""));
  } catch {
    // Not ours to send: another version of the page wrote it, and reads it.
    return null;
  }
}
