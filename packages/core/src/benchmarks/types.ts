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

/** A row that was not imported, or was imported and is worth a look. `row` is 1-based. */
export type RowRemark = { row: number; id: string; reason: string };

export type ImportReport = {
  format: string;
  rows: number;
  questions: Question[];
  /** Not imported. */
  set_aside: RowRemark[];
  /** Imported, with something unusual about it. */
  remarks: RowRemark[];
};

/** One row of a data file, its values as JSON gives them. */
export type Row = Record<string, unknown>;
