import { createHash, randomUUID } from "node:crypto";
import {
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
import { formatQuestion } from "@sightline/core/perception";
import { isReadable, toGrpoRow } from "@sightline/core/training";
import { TRPCError } from "@trpc/server";
import { createBell } from "../../live/follow.ts";
import type { Library } from "../clips/library.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createFileImport } from "./import-file.ts";
import { createMatching } from "./matching.ts";
import { SAMPLES, toQuestionRow, WRITTEN } from "./rows.ts";
import { pick, type QuestionRow, type QuestionStore, type SetRow, type Tally, toChoiceId } from "./store.ts";
import type { ChangeEntry, ChangeKind, QuestionFields } from "./tables.ts";
import type { Made, Questions } from "./types.ts";

const PAGE = 200;

const now = () => Date.now() / 1000;

export function createQuestionService(parts: {
  /** What a policy reads of a question on a clip; null where the clip has no triples. */
  layOut(clip_id: string, question: string): string | null;
  store: QuestionStore;
  library: Library;
  jobs: Jobs;
}): Questions {
  const { store, library, jobs } = parts;
  const bell = createBell();
  const matching = createMatching(parts);

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

  const presentOne = (question_id: string): StoredQuestion => {
    const [question] = matching.present([find(question_id)]);
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

  const summarise = (set: SetRow, tallies: readonly Tally[]): QuestionSetSummary => {
    const { set_aside, remarks, bad_lines, ...rest } = set;
    return {
      ...rest,
      questions: tallies.reduce((sum, { questions }) => sum + questions, 0),
      matches: matching.count(tallies),
      set_aside: set_aside.filter(({ row, question }) => question === null || !isIn(set.set_id, row)).length,
      remarks: remarks.length + bad_lines.length,
    };
  };
  const isIn = (set_id: string, row: number) => store.getByRow(set_id, row)?.trashed_secs === null;

  const readDraft = (draft: QuestionDraft, kind: Question["kind"]): QuestionDraft => {
    const clean = cleanDraft(draft);
    const fault = checkDraft(clean, kind);
    if (fault !== null) throw new TRPCError({ code: "BAD_REQUEST", message: fault });
    return clean;
  };

  const summary = (set_id: string) => summarise(findSet(set_id), store.tally(set_id));

  return {
    bell,
    sets(filter) {
      return store.listSets(filter).map((set) => summarise(set, store.tally(set.set_id)));
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
        ...summarise(set, tallies),
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
        { ...filter, set_id, trash, names: match && matching.toNames(set_id, match) },
        { offset, limit },
      );
      return { total, questions: matching.present(rows) };
    },
    hasSet: (set_id) => store.getSet(set_id) !== null,
    listOfSet: (set_id) => matching.present(store.listAll(findSet(set_id).set_id)),
    listOfClip(clip_id) {
      const { name } = library.get(clip_id);
      return matching
        .present(store.listCandidates(clip_id, toClipKey(name)))
        .filter((question) => question.clip_id === clip_id);
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

    importFile: createFileImport({
      store,
      jobs,
      summarise: summary,
      restoreSet: (set_id) => changeSet("restore", set_id, { trashed_secs: null }),
      onChange: bell.ring,
    }),

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
        rows.map(({ question, clip_id }, at) => toQuestionRow(SAMPLES, question, at + 1, clip_id)),
      );
      bell.ring();
    },

    write(clip_id, draft) {
      const { name } = library.get(clip_id);
      const clean = readDraft(draft, "choice");
      const set = store.getSet(WRITTEN);
      const source_id = randomUUID().slice(0, 8);
      const row = toQuestionRow(
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
      const taken = toQuestionRow(set_id, question, row);
      const change_id = store.bringIn("take in", null, [taken]);
      bell.ring();
      return { change_id, question: presentOne(taken.question_id) };
    },

    ambiguous: (set_id) => matching.ambiguous(findSet(set_id).set_id),
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
      if (format === "grpo") {
        const all = matching.present(store.listAll(set_id));
        const rows = all.flatMap((question) => {
          const { source_id, clip_id, task, text, options, gold, kind, split } = question;
          if (clip_id === null || gold === null) return [];
          const asked = formatQuestion(text, options);
          const prompt = parts.layOut(clip_id, asked);
          if (prompt === null) return [];
          const row = { question_id: source_id, clip_id, task, prompt, question: asked, options, gold, kind };
          return [toGrpoRow({ ...row, chain: null }, split ?? "")].filter(isReadable);
        });
        return {
          name: `${stem}_grpo.jsonl`,
          text: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
          left_out: all.length - rows.length,
        };
      }
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
