import type {
  AmbiguousName,
  ClipMatch,
  Question,
  QuestionDraft,
  QuestionSet,
  QuestionSetSummary,
  SplitName,
  StoredQuestion,
} from "@sightline/core/benchmarks";
import type { Bell } from "../../live/follow.ts";
import type { ChangeKind, QuestionFields } from "./tables.ts";

/** What became of a file of questions. */
export type Imported = {
  set: QuestionSetSummary;
  /** True when these bytes were known already. */
  duplicate: boolean;
  /** A sentence for the person when the set is not simply new; otherwise null. */
  note: string | null;
};

/** What a person asks of a set's questions. */
export type QuestionQuery = {
  set_id: string;
  task?: string | undefined;
  side?: SplitName | undefined;
  match?: ClipMatch | undefined;
  words?: string | undefined;
  trash?: boolean | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
};

/** One version of a question: what it said from a moment on. */
export type QuestionVersion = {
  change_id: number;
  made_secs: number;
  kind: ChangeKind;
  before: QuestionFields | null;
  after: QuestionFields;
};

/** A change that was made and can be taken back by its number; null when there was nothing to change. */
export type Made = { change_id: number | null };

/** Questions on clips: imported, written, matched to the library, split. */
export type Questions = {
  sets(filter: { trash: boolean }): QuestionSetSummary[];
  set(set_id: string): QuestionSet;
  list(query: QuestionQuery): { total: number; questions: StoredQuestion[] };
  /** True also for a set in the trash. */
  hasSet(set_id: string): boolean;
  /** All questions of a set, in order. */
  listOfSet(set_id: string): StoredQuestion[];
  /** All questions on a clip, sets that are in the trash left out; those of the newest set first. */
  listOfClip(clip_id: string): StoredQuestion[];
  /** @throws TRPCError NOT_FOUND; a question in the trash is found. */
  get(question_id: string): StoredQuestion;
  history(question_id: string): QuestionVersion[];
  /**
   * Brings in a file. The same bytes twice are one set. A file of gold answers by id fills in those that are missing.
   *
   * @throws TRPCError UNPROCESSABLE_CONTENT when the file holds no question; the message names lines or rows.
   */
  importFile(name: string, bytes: Uint8Array): Promise<Imported>;
  /** Brings in questions that come with the product, each on its clip. */
  addSamples(rows: readonly { question: Question; clip_id: string }[]): void;
  write(clip_id: string, draft: QuestionDraft): Made & { question: StoredQuestion };
  edit(question_id: string, draft: QuestionDraft): Made & { question: StoredQuestion };
  trash(question_ids: string[]): Made;
  restore(question_ids: string[]): Made;
  renameSet(set_id: string, name: string): Made;
  trashSet(set_id: string): Made;
  restoreSet(set_id: string): Made;
  /** Takes in a row that was set aside but could be read. */
  takeIn(set_id: string, row: number): Made & { question: StoredQuestion };
  /** Names of a set that several clips of the library have, or had when a person chose one. */
  ambiguous(set_id: string): AmbiguousName[];
  /** Says which clip a set means by a name; null takes the choice back. */
  choose(set_id: string, clip_key: string, clip_id: string | null): Made;
  /** Splits a set by scene; the same seed, shares and questions give the same split and hash. */
  split(set_id: string, by: { seed: number; train: number; val: number }): Made;
  /** The set as a file: our JSONL, or the released `*_data.json` with what that layout can say. */
  /**
   * grpo: what a policy reads and the answer, a line each; a question whose clip has no triples, or that a run could not read, is left out.
   */
  export(
    set_id: string,
    format: "jsonl" | "released" | "grpo",
  ): { name: string; text: string; left_out: number };
  /** Takes back a change by its number, or the last that still stands; a sentence on it, or null. */
  undo(change_id: number | null): string | null;
  /** Rings when a question or a set changed; a change of the library may move matches as well. */
  bell: Bell;
};
