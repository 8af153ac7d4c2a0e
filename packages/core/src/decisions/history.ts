import type { Decided, Decision, Judgement, Revision } from "./types.ts";

export type Judged = Judgement & Decision;
export type Returned = Extract<Revision, { kind: "return" }> & Decision;
export type Imported = Extract<Revision, { kind: "import" }> & Decision;

export function isJudgement<T extends Decided>(decided: T): decided is T & Judgement {
  return decided.kind !== "undo" && decided.kind !== "redo" && !isFresh(decided);
}

/** True for what sets all key-frames at once, so that only what is said after it is applied to them. */
export function isFresh<T extends Decided>(decided: T): decided is T & { kind: "return" | "import" } {
  return decided.kind === "return" || decided.kind === "import";
}

/**
 * What was taken back, and by which undo.
 *
 * @param history  A selection's decisions in order of `version`.
 * @returns By the id of the decision that was taken back: the undo in force. An undo that a redo took back is not there.
 */
export function listUndone(history: readonly Decision[]): Map<string, Decision> {
  const undone = new Map<string, Decision>();
  const undos = new Map<string, string>();
  for (const decision of history) {
    if (decision.kind === "undo") {
      undone.set(decision.undoes, decision);
      undos.set(decision.decision_id, decision.undoes);
    } else if (decision.kind === "redo") {
      const restored = undos.get(decision.undoes);
      if (restored !== undefined && undone.get(restored)?.decision_id === decision.undoes) {
        undone.delete(restored);
      }
    }
  }
  return undone;
}

/** Judgements, returns and imports that nobody took back, oldest first. */
export function listStanding(history: readonly Decision[]): (Judged | Returned | Imported)[] {
  const undone = listUndone(history);
  return history.filter(
    (decision): decision is Judged | Returned | Imported =>
      (isJudgement(decision) || isFresh(decision)) && !undone.has(decision.decision_id),
  );
}

/** What an undo takes back now: the last decision that stands, whoever made it; null when nothing does. */
export function findUndo(history: readonly Decision[]): Judged | Returned | Imported | null {
  return listStanding(history).at(-1) ?? null;
}

/** The undo that a redo takes back now: the last one, as long as nothing new was said after it; null without any. */
export function findRedo(history: readonly Decision[]): Decision | null {
  const in_force = new Set(listUndone(history).values());
  const undo = history.findLast((decision) => in_force.has(decision));
  if (undo === undefined) return null;
  const is_last = history
    .slice(undo.version)
    .every((decision) => decision.kind === "undo" || decision.kind === "redo");
  return is_last ? undo : null;
}
