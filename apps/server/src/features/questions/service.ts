import { createHash, randomUUID } from "node:crypto";
import {
  type AmbiguousName,
  type ClipMatch,
  checkDraft,
  cleanDraft,
  type Question,
  type QuestionDraft,
  type QuestionSet,
  type QuestionSetSummary,
  type SplitName,
  type StoredQuestion,
  splitByScene,
  toClipKey,
  toOwnRow,
  toReleasedRow,
} from "@sightline/core/benchmarks";
import { TRPCError } from "@trpc/server";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import { type Bell, createBell } from "../../live/follow.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import { type ClipNames, createClipNames } from "./names.ts";
import { readQuestionBytes } from "./read-file.ts";
import {
  pick,
  type QuestionFilter,
  type QuestionRow,
  type QuestionStore,
  type SetRow,
  type Tally,
  toChoiceId,
} from "./store.ts";
import type { ChangeEntry, ChangeKind, QuestionFields } from "./tables.ts";

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
  export(set_id: string, format: "jsonl" | "released"): { name: string; text: string; left_out: number };
  /** Takes back a change by its number, or the last that still stands; a sentence on it, or null. */
  undo(change_id: number | null): string | null;
  /** Rings when a question or a set changed; a change of the library may move matches as well. */
  bell: Bell;
};

const WRITTEN = "written";
const SAMPLES = "samples";
const PAGE = 200;

const now = () => Date.now() / 1000;

export function createQuestionService(parts: {
  store: QuestionStore;
  library: Library;
  jobs: Jobs;
}): Questions {
  const { store, library, jobs } = parts;
  const bell = createBell();
  const names = createClipNames(library);

  const findSet = (set_id: string): SetRow => {
    const set = store.getSet(set_id);
    if (!set) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such set of questions." });
    return set;
  };
  const find = (question_id: string): QuestionRow => {
    const row = store.get(question_id);
    if (!row) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such question." });
    return row;
  };

  /** Turns rows into what others see of them: with the clip that each stands to. */
  const present = (rows: readonly QuestionRow[]): StoredQuestion[] => {
    const choices = store.getChoices();
    const known = names();
    return rows.map((row) => {
      const { clip_key, asked_clip_id, ...question } = row;
      return { ...question, ...toClip(row, choices, known) };
    });
  };
  const presentOne = (question_id: string): StoredQuestion => {
    const [question] = present([find(question_id)]);
    if (!question) throw new Error("a question that was found is gone");
    return question;
  };

  const make = (kind: Parameters<QuestionStore["change"]>[0], entries: ChangeEntry[]): Made => {
    const change_id = store.change(kind, entries);
    if (change_id !== null) bell.ring();
    return { change_id };
  };
  const changeQuestions = (kind: "trash" | "restore", question_ids: string[], after: QuestionFields) =>
    make(
      kind,
      question_ids
        .map(find)
        .flatMap((row) =>
          (row.trashed_secs === null) === (after.trashed_secs === null)
            ? []
            : [{ subject: "question", subject_id: row.question_id, before: pick(row, after), after }],
        ),
    );
  const changeSet = (
    kind: "trash" | "restore" | "edit",
    set_id: string,
    after: { trashed_secs: number | null } | { name: string },
  ) => make(kind, [{ subject: "set", subject_id: set_id, before: pick(findSet(set_id), after), after }]);

  const summarise = (
    set: SetRow,
    tallies: readonly Tally[],
    choices: Map<string, string>,
  ): QuestionSetSummary => {
    const matches: Record<ClipMatch, number> = { matched: 0, ambiguous: 0, unmatched: 0, none: 0 };
    const known = names();
    let questions = 0;
    for (const tally of tallies) {
      questions += tally.questions;
      matches[toClip(tally, choices, known).match] += tally.questions;
    }
    const { set_aside, remarks, bad_lines, ...rest } = set;
    return {
      ...rest,
      questions,
      matches,
      set_aside: set_aside.filter(({ row, question }) => question === null || !isIn(set.set_id, row)).length,
      remarks: remarks.length + bad_lines.length,
    };
  };
  const isIn = (set_id: string, row: number) => store.getByRow(set_id, row)?.trashed_secs === null;

  const toRow = (
    set_id: string,
    question: Question,
    row: number,
    asked_clip_id: string | null = null,
  ): QuestionRow => ({
    ...question,
    set_id,
    question_id: set_id === SAMPLES ? question.question_id : `${set_id}/${question.question_id}`,
    source_id: question.question_id,
    row,
    clip_key: question.clip_name === null ? null : toClipKey(question.clip_name),
    asked_clip_id,
    split: null,
    edited_secs: null,
    trashed_secs: null,
  });

  const readDraft = (draft: QuestionDraft, kind: Question["kind"]): QuestionDraft => {
    const clean = cleanDraft(draft);
    const fault = checkDraft(clean, kind);
    if (fault !== null) throw new TRPCError({ code: "BAD_REQUEST", message: fault });
    return clean;
  };

  const meetAgain = (set: SetRow): Imported => {
    let note = `These questions are here already, as “${set.name}”.`;
    if (set.trashed_secs !== null) {
      changeSet("restore", set.set_id, { trashed_secs: null });
      note = `These questions were in the trash as “${set.name}”; they are back.`;
    }
    return { set: summary(set.set_id), duplicate: true, note };
  };
  /** Fills in gold answers that came apart from their questions, as one change. */
  const fillIn = (answers: Record<string, number>): Imported => {
    const entries = store.listUnanswered().flatMap(({ question_id, source_id, options, set_id }) => {
      const at = answers[source_id];
      if (at === undefined || at >= options.length) return [];
      const after = { gold: "ABCDEFGH".charAt(at) };
      return [
        { set_id, entry: { subject: "question", subject_id: question_id, before: { gold: null }, after } },
      ];
    });
    const [first] = entries;
    const count = Object.keys(answers).length;
    if (!first)
      throw new Error(
        `This file holds ${count} answers by id and no questions, and no question here waits for one of them. Import their questions first.`,
      );
    make(
      "edit",
      entries.map(({ entry }) => entry as ChangeEntry),
    );
    const set = summary(first.set_id);
    return {
      set,
      duplicate: false,
      note: `${entries.length} of ${count} answers were filled in, in “${set.name}”.`,
    };
  };
  const summary = (set_id: string) => summarise(findSet(set_id), store.tally(set_id), store.getChoices());

  return {
    bell,
    sets(filter) {
      const choices = store.getChoices();
      return store.listSets(filter).map((set) => summarise(set, store.tally(set.set_id), choices));
    },
    set(set_id) {
      const set = findSet(set_id);
      const tallies = store.tally(set_id);
      const tasks = new Map<string, QuestionSet["tasks"][number]>();
      for (const { task, split, questions } of tallies) {
        const row = tasks.get(task) ?? { task, questions: 0, sides: { train: 0, val: 0, test: 0 } };
        row.questions += questions;
        if (split !== null) row.sides[split] += questions;
        tasks.set(task, row);
      }
      const { remarks, bad_lines } = set;
      return {
        ...summarise(set, tallies, store.getChoices()),
        report: {
          set_aside: set.set_aside.map((one) => ({ ...one, taken_in: isIn(set_id, one.row) })),
          remarks,
          bad_lines,
        },
        tasks: [...tasks.values()].sort((a, b) => b.questions - a.questions || a.task.localeCompare(b.task)),
      };
    },
    list({ set_id, match, offset = 0, limit = PAGE, trash = false, ...filter }) {
      findSet(set_id);
      const { total, rows } = store.list(
        { ...filter, set_id, trash, names: match && toNames(set_id, match) },
        { offset, limit },
      );
      return { total, questions: present(rows) };
    },
    listOfSet: (set_id) => present(store.listAll(findSet(set_id).set_id)),
    listOfClip(clip_id) {
      const { name } = library.get(clip_id);
      return present(store.listCandidates(clip_id, toClipKey(name))).filter(
        (question) => question.clip_id === clip_id,
      );
    },
    get: presentOne,
    history: (question_id) =>
      store
        .listChanges(find(question_id).question_id)
        .flatMap(({ change_id, made_secs, kind, entries }) =>
          entries.flatMap((entry) =>
            entry.subject === "question"
              ? [{ change_id, made_secs, kind, before: entry.before, after: entry.after }]
              : [],
          ),
        ),

    async importFile(name, bytes) {
      const content_hash = createHash("sha256").update(bytes).digest("hex");
      const known = store.findByHash(content_hash);
      if (known) return meetAgain(known);
      let imported: Imported | null = null;
      let problem: unknown = null;
      const { ended } = jobs.start(
        { kind: "questions", title: `Reading ${name}`, clip_id: null },
        async ({ signal, begin, progress }) => {
          begin();
          try {
            const report = await readQuestionBytes(bytes, {
              progress(done, total) {
                signal.throwIfAborted();
                progress(done, total);
              },
            });
            signal.throwIfAborted();
            if (report.answers !== null) {
              imported = fillIn(report.answers);
              return;
            }
            const { questions, bad_lines, set_aside, remarks, format, rows } = report;
            if (questions.length === 0 && !set_aside.some(({ question }) => question !== null))
              throw new Error(explainEmpty(report));
            // Another request may have brought in the same bytes meanwhile.
            const met = store.findByHash(content_hash);
            if (met) {
              imported = meetAgain(met);
              return;
            }
            const set_id = content_hash.slice(0, 12);
            const byId = new Map(report.row_of.map(([id, row]) => [id, row]));
            store.bringIn(
              "import",
              {
                ...{ set_id, name, format, content_hash, rows: rows + bad_lines.length },
                ...{ set_aside, remarks, bad_lines },
                kind: "file",
                split: null,
                made_secs: now(),
                trashed_secs: null,
              },
              questions.map((question, at) =>
                toRow(set_id, question, byId.get(question.question_id) ?? at + 1),
              ),
            );
            imported = { set: summary(set_id), duplicate: false, note: null };
            bell.ring();
          } catch (error) {
            problem = error;
            throw error;
          }
        },
      );
      const { state } = await ended;
      if (imported) return imported;
      if (state === "cancelled")
        throw new TRPCError({
          code: "CLIENT_CLOSED_REQUEST",
          message: `Reading ${name} was cancelled; nothing of it was kept.`,
        });
      throw new TRPCError({
        code: "UNPROCESSABLE_CONTENT",
        message: explainFailure(problem),
        cause: problem,
      });
    },

    addSamples(rows) {
      if (rows.length === 0) return;
      store.seed(
        {
          set_id: SAMPLES,
          name: "Sample questions",
          kind: "sample",
          format: "Sightline",
          content_hash: null,
          rows: null,
          set_aside: [],
          remarks: [],
          bad_lines: [],
          split: null,
          made_secs: now(),
          trashed_secs: null,
        },
        rows.map(({ question, clip_id }, at) => toRow(SAMPLES, question, at + 1, clip_id)),
      );
      bell.ring();
    },

    write(clip_id, draft) {
      const { name } = library.get(clip_id);
      const clean = readDraft(draft, "choice");
      const set = store.getSet(WRITTEN);
      const source_id = randomUUID().slice(0, 8);
      const row = toRow(
        WRITTEN,
        {
          ...clean,
          question_id: source_id,
          dataset: "written",
          clip_name: name,
          from_secs: null,
          to_secs: null,
          scene: name,
          kind: "choice",
        },
        store.nextRow(WRITTEN),
        clip_id,
      );
      const change_id = store.bringIn(
        "write",
        set
          ? null
          : {
              set_id: WRITTEN,
              name: "Written here",
              kind: "written",
              format: "Sightline",
              content_hash: null,
              rows: null,
              set_aside: [],
              remarks: [],
              bad_lines: [],
              split: null,
              made_secs: now(),
              trashed_secs: null,
            },
        [row],
      );
      // A set in the trash would hide what was just written.
      if (set && set.trashed_secs !== null) changeSet("restore", WRITTEN, { trashed_secs: null });
      bell.ring();
      return { change_id, question: presentOne(row.question_id) };
    },
    edit(question_id, draft) {
      const row = find(question_id);
      const after: QuestionFields = readDraft(draft, row.kind);
      const isSame = JSON.stringify(pick(row, after)) === JSON.stringify(after);
      const fields: QuestionFields = { ...after, edited_secs: now() };
      const made = isSame
        ? { change_id: null }
        : make("edit", [
            { subject: "question", subject_id: question_id, before: pick(row, fields), after: fields },
          ]);
      return { ...made, question: presentOne(question_id) };
    },
    trash: (question_ids) => changeQuestions("trash", question_ids, { trashed_secs: now() }),
    restore: (question_ids) => changeQuestions("restore", question_ids, { trashed_secs: null }),
    renameSet: (set_id, name) => changeSet("edit", set_id, { name }),
    trashSet: (set_id) =>
      findSet(set_id).trashed_secs === null
        ? changeSet("trash", set_id, { trashed_secs: now() })
        : { change_id: null },
    restoreSet: (set_id) => changeSet("restore", set_id, { trashed_secs: null }),
    takeIn(set_id, row) {
      const question = findSet(set_id).set_aside.find((one) => one.row === row)?.question;
      if (!question)
        throw new TRPCError({
          code: "NOT_FOUND",
          message: `Row ${row} could not be read; it can't be taken in. Mend it in the file and import that.`,
        });
      const known = store.getByRow(set_id, row);
      if (known) {
        const made = changeQuestions("restore", [known.question_id], { trashed_secs: null });
        return { ...made, question: presentOne(known.question_id) };
      }
      const taken = toRow(set_id, question, row);
      const change_id = store.bringIn("take in", null, [taken]);
      bell.ring();
      return { change_id, question: presentOne(taken.question_id) };
    },

    ambiguous(set_id) {
      findSet(set_id);
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
    choose(set_id, clip_key, clip_id) {
      findSet(set_id);
      if (clip_id !== null) library.get(clip_id);
      const subject_id = toChoiceId(set_id, clip_key);
      const before = { clip_id: store.getChoices().get(subject_id) ?? null };
      return make("choose", [{ subject: "choice", subject_id, before, after: { clip_id } }]);
    },

    split(set_id, { seed, train, val }) {
      const set = findSet(set_id);
      const rows = store.listAll(set_id);
      const names = splitByScene(rows, seed, { train, val });
      const sides = Object.fromEntries(rows.map(({ question_id }, at) => [question_id, names[at] ?? "test"]));
      const hash = hashSplit({ seed, train, val }, sides);
      const before = Object.fromEntries(
        rows.flatMap(({ question_id, split }) => (split === null ? [] : [[question_id, split]])),
      );
      return make("split", [
        {
          subject: "set",
          subject_id: set_id,
          before: { split: set.split, sides: before },
          after: { split: { seed, train, val, hash }, sides },
        },
      ]);
    },

    export(set_id, format) {
      const set = findSet(set_id);
      const own = store
        .listAll(set_id)
        .map(({ source_id, ...row }) => ({ ...row, question_id: source_id }) satisfies Question);
      const stem = set.name.replace(/\.[a-z]+$/i, "");
      if (format === "jsonl")
        return {
          name: `${stem}.jsonl`,
          text: own.map((question) => `${JSON.stringify(toOwnRow(question))}\n`).join(""),
          left_out: 0,
        };
      const rows = own.flatMap((question) => toReleasedRow(question) ?? []);
      return {
        name: `${stem}_data.json`,
        text: `${JSON.stringify(rows, null, 1)}\n`,
        left_out: own.length - rows.length,
      };
    },

    undo(change_id) {
      const undone = store.undo(change_id);
      if (undone === "changed since")
        throw new TRPCError({
          code: "CONFLICT",
          message: "This has been changed since; take back the later change first.",
        });
      if (undone === null) return null;
      bell.ring();
      return UNDONE[undone.kind];
    },
  };

  /** The names of a set's clips that stand to the library in one way. */
  function toNames(set_id: string, match: ClipMatch): QuestionFilter["names"] {
    if (match === "none") return "nameless";
    const choices = store.getChoices();
    const known = names();
    const keys = store
      .tally(set_id)
      .filter((tally) => tally.asked_clip_id === null && toClip(tally, choices, known).match === match)
      .flatMap(({ clip_key }) => clip_key ?? []);
    return { keys: [...new Set(keys)], asked: match === "matched" };
  }
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

function hashSplit(
  by: { seed: number; train: number; val: number },
  sides: Record<string, SplitName>,
): string {
  const sorted = Object.entries(sides).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([by.seed, by.train, by.val, sorted]))
    .digest("hex");
}

const FIRST = 3;

/** Why a file gave no question: each reason with the first lines or rows that have it. */
function explainEmpty({
  rows,
  set_aside,
  bad_lines,
}: Pick<Awaited<ReturnType<typeof readQuestionBytes>>, "rows" | "set_aside" | "bad_lines">): string {
  const places = new Map<string, string[]>();
  for (const { line, reason } of bad_lines)
    places.set(reason, [...(places.get(reason) ?? []).slice(0, FIRST), `line ${line}`]);
  for (const { row, reason } of set_aside)
    places.set(reason, [...(places.get(reason) ?? []).slice(0, FIRST), `row ${row}`]);
  const faults = [...places].map(([reason, at]) => {
    const more = at.length > FIRST ? " and more" : "";
    return `${at.slice(0, FIRST).join(", ")}${more}: ${reason}`;
  });
  const more = faults.length > FIRST ? `; and ${faults.length - FIRST} other reasons` : "";
  const why = faults.length === 0 ? "it holds no rows" : `${faults.slice(0, FIRST).join("; ")}${more}`;
  return `No question was found in ${rows + bad_lines.length} rows: ${why}.`;
}

const UNDONE: Record<ChangeKind, string> = {
  import: "The imported set went to the trash.",
  write: "The question that was written went to the trash.",
  edit: "The words from before the edit are back.",
  trash: "What went to the trash is back.",
  restore: "What came from the trash went back to it.",
  "take in": "The row is set aside again.",
  choose: "The choice of the clip was taken back.",
  split: "The split from before is back.",
  undo: "",
};
