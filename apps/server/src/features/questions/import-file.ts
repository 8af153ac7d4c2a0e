import { createHash } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import type { Jobs } from "../jobs/tray.ts";
import { readQuestionBytes } from "./read-file.ts";
import { toQuestionRow } from "./rows.ts";
import type { QuestionStore, SetRow } from "./store.ts";
import type { ChangeEntry } from "./tables.ts";
import type { Imported } from "./types.ts";

type Report = Awaited<ReturnType<typeof readQuestionBytes>>;

/**
 * Makes the way in for files of questions: `Questions.importFile`.
 *
 * @param parts.onChange  Called when something was brought in.
 */
export function createFileImport(parts: {
  store: QuestionStore;
  jobs: Jobs;
  summarise(set_id: string): Imported["set"];
  restoreSet(set_id: string): void;
  onChange(): void;
}): (name: string, bytes: Uint8Array) => Promise<Imported> {
  const { store, jobs, summarise, restoreSet, onChange } = parts;

  const meetAgain = (set: SetRow): Imported => {
    let note = `These questions are here already, as “${set.name}”.`;
    if (set.trashed_secs !== null) {
      restoreSet(set.set_id);
      note = `These questions were in the trash as “${set.name}”; they are back.`;
    }
    return { set: summarise(set.set_id), duplicate: true, note };
  };

  /** Fills in gold answers that came apart from their questions, as one change. */
  const fillIn = (answers: Record<string, number>): Imported => {
    const waiting = store.listUnanswered().flatMap(({ question_id, source_id, options, set_id }) => {
      const at = answers[source_id];
      if (at === undefined || at >= options.length) return [];
      const after = { gold: "ABCDEFGH".charAt(at) };
      const entry: ChangeEntry = {
        subject: "question",
        subject_id: question_id,
        before: { gold: null },
        after,
      };
      return [{ set_id, entry }];
    });
    const [first] = waiting;
    const count = Object.keys(answers).length;
    if (!first)
      throw new Error(
        `This file holds ${count} answers by id and no questions, and no question here waits for one of them. Import their questions first.`,
      );
    store.change(
      "edit",
      waiting.map(({ entry }) => entry),
    );
    onChange();
    const set = summarise(first.set_id);
    const note = `${waiting.length} of ${count} answers were filled in, in “${set.name}”.`;
    return { set, duplicate: false, note };
  };

  const bringIn = (name: string, content_hash: string, report: Report): Imported => {
    const { questions, bad_lines, set_aside, remarks, format, rows, row_of } = report;
    if (questions.length === 0 && !set_aside.some(({ question }) => question !== null))
      throw new Error(explainEmpty(report));
    // Another request may have brought in the same bytes meanwhile.
    const met = store.findByHash(content_hash);
    if (met) return meetAgain(met);
    const set_id = content_hash.slice(0, 12);
    const rowOf = new Map(row_of.map(([id, row]) => [id, row]));
    store.bringIn(
      "import",
      {
        ...{ set_id, name, format, content_hash, rows: rows + bad_lines.length },
        ...{ set_aside, remarks, bad_lines },
        kind: "file",
        split: null,
        made_secs: Date.now() / 1000,
        trashed_secs: null,
      },
      questions.map((question, at) =>
        toQuestionRow(set_id, question, rowOf.get(question.question_id) ?? at + 1),
      ),
    );
    onChange();
    return { set: summarise(set_id), duplicate: false, note: null };
  };

  return async (name, bytes) => {
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
          imported = report.answers === null ? bringIn(name, content_hash, report) : fillIn(report.answers);
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
    throw new TRPCError({ code: "UNPROCESSABLE_CONTENT", message: explainFailure(problem), cause: problem });
  };
}

const FIRST = 3;

/** Why a file gave no question: each reason with the first lines or rows that have it. */
function explainEmpty({
  rows,
  set_aside,
  bad_lines,
}: Pick<Report, "rows" | "set_aside" | "bad_lines">): string {
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
