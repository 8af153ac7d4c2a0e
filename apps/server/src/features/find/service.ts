import { setTimeout as sleep } from "node:timers/promises";
import {
  cutSnippet,
  type FindFilter,
  type FindView,
  type FoundPage,
  type IndexProgress,
  type OpenedCompletion,
  parseWords,
  type QuestionPoint,
  type Remark,
} from "@sightline/core/find";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Jobs } from "../jobs/tray.ts";
import type { FindStore } from "./store.ts";

/** Completions of a run by what they are and by their words; remarks of people; named filters. */
export type Find = {
  list(request: { run_id: string; filter: FindFilter; offset: number; limit: number }): FoundPage;
  get(completion_id: number): OpenedCompletion;
  /** One question over the steps of runs, attempt by attempt, in the order of the runs that were named. */
  question(run_ids: readonly string[], question_id: string): QuestionPoint[];
  /** Tags that stand in a run, with how many completions have each. */
  tags(run_id: string): { text: string; n: number }[];
  remark(completion_id: number, kind: Remark["kind"], text: string): OpenedCompletion;
  /** Takes a remark back; `redo` brings it back. What was said stays written. */
  undo(remark_id: number): OpenedCompletion;
  redo(remark_id: number): OpenedCompletion;
  views(): FindView[];
  /** @returns The new view, and those of its name that it took the place of; without `replaces` such a name is refused. */
  saveView(view: { name: string; filter: FindFilter; replaces: boolean }): {
    view_id: number;
    replaced: number[];
  };
  removeView(view_id: number): void;
  /** `instead_of` names a view that is taken away in the same stroke. */
  restoreView(view: { view_id: number; instead_of: number | null }): void;
  progress(): IndexProgress;
  /** Indexes what is not indexed yet, in the background; the same while it does. */
  catchUp(): void;
  close(): Promise<void>;
};

/** So many at a time keep the server free for others: about 20 ms. */
const SLICE = 150;
const BREATH_MS = 10;
/** With fewer to do, nobody needs to see it in the tray. */
const SHOWN_FROM = 20_000;

const nameTaken = (name: string) =>
  new TRPCError({
    code: "CONFLICT",
    message: `There is a view called ${name} already. Give this one another name, or have it take that one's place.`,
  });

export function createFindService({
  store,
  jobs,
  log,
  getAuthor,
  checkLinks,
}: {
  store: FindStore;
  jobs: Jobs;
  log: Logger;
  /** Whose hand it is. */
  getAuthor(): string;
  /** Looks which links broke in a run, in the background: some may be found only then. */
  checkLinks(run_id: string): void;
}): Find {
  const closing = new AbortController();
  let indexing: Promise<void> | null = null;

  const index = async (signal: AbortSignal, onProgress: (progress: IndexProgress) => void) => {
    for (let slices = 0; !signal.aborted; slices++) {
      if (store.indexMore(SLICE) < SLICE) return;
      if (slices % 20 === 0) onProgress(store.progress());
      await sleep(BREATH_MS);
    }
  };

  const catchUp = () => {
    if (indexing !== null || closing.signal.aborted) return;
    const { done, total } = store.progress();
    if (done >= total) return;
    const work =
      total - done < SHOWN_FROM
        ? index(closing.signal, () => {})
        : jobs
            .start(
              { kind: "index", title: "Indexing the words of completions", clip_id: null },
              ({ signal, progress }) =>
                index(AbortSignal.any([signal, closing.signal]), (at) => progress(at.done, at.total)),
            )
            .ended.then(() => undefined);
    indexing = work
      .catch((error: unknown) => log.error({ err: error }, "indexing completions failed"))
      .finally(() => {
        indexing = null;
      });
  };

  const get = (completion_id: number): OpenedCompletion => {
    const line = store.line(completion_id);
    if (!line) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such completion." });
    return { completion_id, line, remarks: store.remarks(completion_id) };
  };

  const turn = (remark_id: number, kind: "undo" | "redo"): OpenedCompletion => {
    const completion_id = store.turnRemark(remark_id, kind, getAuthor());
    if (completion_id === null)
      throw new TRPCError({ code: "NOT_FOUND", message: "There is no such note or tag." });
    return get(completion_id);
  };

  return {
    list({ run_id, filter, ...page }) {
      const terms = parseWords(filter.words ?? "");
      catchUp();
      if (filter.broken !== undefined) checkLinks(run_id);
      const { rows, total } = store.find(run_id, filter, terms, page);
      return {
        rows: rows.map((row) => {
          const standing = store.remarks(row.completion_id).filter(({ undone }) => undone === null);
          return {
            ...row,
            snippet: cutSnippet(store.line(row.completion_id)?.text ?? "", terms),
            tags: [...new Set(standing.filter(({ kind }) => kind === "tag").map(({ text }) => text))],
            notes: standing.filter(({ kind }) => kind === "note").length,
          };
        }),
        total,
        indexed: store.progress(),
      };
    },
    get,
    question: (run_ids, question_id) => run_ids.flatMap((run_id) => store.question(run_id, question_id)),
    tags: store.tags,
    remark(completion_id, kind, text) {
      const before = get(completion_id);
      // Two tabs, or two people, may give the same tag: it stands once.
      const stands = (one: Remark) => one.kind === "tag" && one.text === text && one.undone === null;
      if (kind === "tag" && before.remarks.some(stands)) return before;
      store.addRemark(completion_id, kind, text, getAuthor());
      return get(completion_id);
    },
    undo: (remark_id) => turn(remark_id, "undo"),
    redo: (remark_id) => turn(remark_id, "redo"),
    views: store.views,
    saveView(view) {
      const saved = store.addView({ ...view, author: getAuthor() });
      if (saved === null) throw nameTaken(view.name);
      return saved;
    },
    removeView(view_id) {
      if (!store.removeView(view_id))
        throw new TRPCError({ code: "NOT_FOUND", message: "There is no such view." });
    },
    restoreView({ view_id, instead_of }) {
      const view = store.restoreView(view_id, instead_of);
      if (view === null) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such view." });
      if (!view.isBack) throw nameTaken(view.name);
    },
    progress: store.progress,
    catchUp,
    async close() {
      closing.abort();
      await indexing;
    },
  };
}
