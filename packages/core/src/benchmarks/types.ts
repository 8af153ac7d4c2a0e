import type { BadLine } from "./parse-rows.ts";
import type { SplitName } from "./split.ts";

/** A question about a clip, whatever benchmark it comes from. */
export type Question = {
  /** Unique within its dataset. */
  question_id: string;
  dataset: string;
  /** Name of the clip as the dataset gives it, without folders: `EmbodiedCity_1.mp4`. Null when there is none. */
  clip_name: string | null;
  /** Part of the clip that is asked about, in seconds from its start; null for the whole clip. */
  from_secs: number | null;
  to_secs: number | null;
  /** What a split keeps together: all clips of one place. */
  scene: string | null;
  task: string;
  text: string;
  /** Texts without their letters; empty for a numeric question. */
  options: string[];
  /** A letter of the options, a number as text, or null when the dataset holds the answers back. */
  gold: string | null;
  kind: "choice" | "number";
};

/** What is worth saying of one row. `row` is 1-based. */
export type RowRemark = { row: number; id: string; reason: string };

/** A row that was not imported; `question` is what was read of it where a person may still take it in, else null. */
export type SetAside = RowRemark & { question: Question | null };

export type ImportReport = {
  format: string;
  rows: number;
  questions: Question[];
  /** Where each question stood: its id and its 1-based row. */
  row_of: [string, number][];
  /** Not imported. */
  set_aside: SetAside[];
  /** Imported, with something unusual about it. */
  remarks: RowRemark[];
};

/** One row of a data file, its values as JSON gives them. */
export type Row = Record<string, unknown>;

/** How a question stands to the library: its clip is known, several have its name, none has, or it names none. */
export type ClipMatch = "matched" | "ambiguous" | "unmatched" | "none";

/** A question as the workbench keeps it; `question_id` is unique over all sets. */
export type StoredQuestion = Question & {
  set_id: string;
  /** The id that its data set gives it. */
  source_id: string;
  /** 1-based place in its set. */
  row: number;
  /** Null unless `match` is "matched". */
  clip_id: string | null;
  match: ClipMatch;
  split: SplitName | null;
  /** UTC seconds of the last edit by a person; null while it stands as it came. */
  edited_secs: number | null;
  trashed_secs: number | null;
};

/** Where a set came from: a file, the sample project, or a person who wrote its questions on clips. */
export type QuestionSetKind = "file" | "sample" | "written";

/** A seeded split of a set; `hash` is of seed, shares and every question's side. */
export type StoredSplit = { seed: number; train: number; val: number; hash: string };

/** A set of questions in short. Counts leave out what is in the trash. */
export type QuestionSetSummary = {
  set_id: string;
  name: string;
  kind: QuestionSetKind;
  format: string;
  /** SHA-256 of the file's bytes; null for a set that is no file. */
  content_hash: string | null;
  /** Rows that the file holds; null for a set that is no file. */
  rows: number | null;
  questions: number;
  matches: Record<ClipMatch, number>;
  /** Rows set aside and not taken in since. */
  set_aside: number;
  remarks: number;
  split: StoredSplit | null;
  made_secs: number;
  trashed_secs: number | null;
};

/** A set with what its import said, and its split as counts. */
export type QuestionSet = QuestionSetSummary & {
  report: {
    set_aside: (SetAside & { taken_in: boolean })[];
    remarks: RowRemark[];
    bad_lines: BadLine[];
  };
  /** Questions of each task, and how many of them lie on each side of the split. */
  tasks: { task: string; questions: number; sides: Record<SplitName, number> }[];
};

/** A name that several clips of the library have. */
export type AmbiguousName = {
  /** The name as it is compared; see `toClipKey`. */
  clip_key: string;
  clip_name: string;
  questions: number;
  clip_ids: string[];
  /** What a person chose; null while it is open. */
  chosen: string | null;
};

/** What a person may say of a question. */
export type QuestionDraft = Pick<Question, "text" | "options" | "gold" | "task">;
