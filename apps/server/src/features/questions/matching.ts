import type { AmbiguousName, ClipMatch, StoredQuestion } from "@sightline/core/benchmarks";
import type { Library } from "../clips/library.ts";
import { type ClipNames, createClipNames } from "./names.ts";
import {
  type QuestionFilter,
  type QuestionRow,
  type QuestionStore,
  type Tally,
  toChoiceId,
} from "./store.ts";

/** How questions stand to the library: by name, unless a person chose a clip or asked on one. */
export type Matching = {
  /** Rows as others see them: with the clip that each stands to. */
  present(rows: readonly QuestionRow[]): StoredQuestion[];
  count(tallies: readonly Tally[]): Record<ClipMatch, number>;
  /** The names of a set's clips that stand to the library in one way. */
  toNames(set_id: string, match: ClipMatch): QuestionFilter["names"];
  /** Names of a set that several clips of the library have, or had when a person chose one. */
  ambiguous(set_id: string): AmbiguousName[];
};

export function createMatching({ store, library }: { store: QuestionStore; library: Library }): Matching {
  const names = createClipNames(library);
  return {
    present(rows) {
      const choices = store.getChoices();
      const known = names();
      return rows.map((row) => {
        const { clip_key, asked_clip_id, ...question } = row;
        return { ...question, ...toClip(row, choices, known) };
      });
    },
    count(tallies) {
      const choices = store.getChoices();
      const known = names();
      const matches: Record<ClipMatch, number> = { matched: 0, ambiguous: 0, unmatched: 0, none: 0 };
      for (const tally of tallies) matches[toClip(tally, choices, known).match] += tally.questions;
      return matches;
    },
    toNames(set_id, match) {
      if (match === "none") return "nameless";
      const choices = store.getChoices();
      const known = names();
      const keys = store
        .tally(set_id)
        .filter((tally) => tally.asked_clip_id === null && toClip(tally, choices, known).match === match)
        .flatMap(({ clip_key }) => clip_key ?? []);
      return { keys: [...new Set(keys)], asked: match === "matched" };
    },
    ambiguous(set_id) {
      const choices = store.getChoices();
      const known = names();
      const found = new Map<string, AmbiguousName>();
      for (const { clip_key, clip_name, asked_clip_id, questions } of store.tally(set_id)) {
        if (clip_key === null || asked_clip_id !== null) continue;
        const chosen = choices.get(toChoiceId(set_id, clip_key)) ?? null;
        const clip_ids = [...known.get(clip_key)];
        if (chosen === null && clip_ids.length < 2) continue;
        const one = found.get(clip_key) ?? {
          clip_key,
          clip_name: clip_name ?? clip_key,
          questions: 0,
          clip_ids: chosen === null || clip_ids.includes(chosen) ? clip_ids : [chosen, ...clip_ids],
          chosen,
        };
        one.questions += questions;
        found.set(clip_key, one);
      }
      return [...found.values()].sort((a, b) => a.clip_key.localeCompare(b.clip_key));
    },
  };
}

/** The clip that a question stands to: the one it was asked on, the chosen one, or the only one of its name. */
function toClip(
  row: Pick<QuestionRow, "set_id" | "clip_key" | "asked_clip_id">,
  choices: ReadonlyMap<string, string>,
  names: ClipNames,
): Pick<StoredQuestion, "clip_id" | "match"> {
  if (row.asked_clip_id !== null) return { clip_id: row.asked_clip_id, match: "matched" };
  if (row.clip_key === null) return { clip_id: null, match: "none" };
  const chosen = choices.get(toChoiceId(row.set_id, row.clip_key));
  if (chosen !== undefined) return { clip_id: chosen, match: "matched" };
  const match = names.match(row.clip_key);
  return { clip_id: match === "matched" ? (names.get(row.clip_key)[0] ?? null) : null, match };
}
