import type { QuestionSetSummary } from "@sightline/core/benchmarks";
import { create } from "zustand";
import { fetchInSession } from "../../app/clients.ts";
import { refreshQuestions } from "../../app/questions/questions.ts";

/** One file of questions on its way, or what became of it. */
export type QuestionImport = { import_id: string; name: string } & (
  | { state: "reading" }
  | { state: "done"; set: QuestionSetSummary; note: string | null }
  | { state: "failed"; problem: string }
);

/** The files that this tab has imported, the newest first. */
export const useImports = create<{ imports: readonly QuestionImport[] }>(() => ({ imports: [] }));

const stops = new Map<string, AbortController>();

/** Endings that a picker offers; a file that is dropped is told apart by its bytes. */
const ACCEPT = ".parquet,.json,.jsonl,.csv,.tsv";

/** Opens the browser's file picker. */
export function pickQuestionFiles(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ACCEPT;
  input.addEventListener("change", () => importFiles([...(input.files ?? [])]));
  input.click();
}

/** Imports files, one after the other. */
export function importFiles(files: readonly File[]): void {
  const started = files.map((file) => ({ file, import_id: crypto.randomUUID() }));
  for (const { file, import_id } of started) {
    stops.set(import_id, new AbortController());
    const entry: QuestionImport = { import_id, name: file.name, state: "reading" };
    useImports.setState(({ imports }) => ({ imports: [entry, ...imports] }));
  }
  void (async () => {
    for (const { file, import_id } of started) await importFile(import_id, file);
  })();
}

/** Takes an import out of the list; one that is under way is given up. */
export function forgetImport(import_id: string): void {
  stops.get(import_id)?.abort();
  stops.delete(import_id);
  useImports.setState(({ imports }) => ({
    imports: imports.filter((entry) => entry.import_id !== import_id),
  }));
}

async function importFile(import_id: string, file: File): Promise<void> {
  const stop = stops.get(import_id);
  if (stop === undefined) return;
  const end = (outcome: QuestionImport) =>
    useImports.setState(({ imports }) => ({
      imports: imports.map((entry) => (entry.import_id === import_id ? outcome : entry)),
    }));
  const about = { import_id, name: file.name };
  try {
    const response = await fetchInSession(`/questions/import?name=${encodeURIComponent(file.name)}`, {
      method: "POST",
      headers: { "content-type": "application/offset+octet-stream" },
      body: file,
      signal: stop.signal,
    });
    const answer = (await response.json()) as Partial<{ set: QuestionSetSummary; note: string | null }> & {
      message?: string;
    };
    if (response.ok && answer.set)
      end({ ...about, state: "done", set: answer.set, note: answer.note ?? null });
    else
      end({
        ...about,
        state: "failed",
        problem: answer.message ?? `The server answered ${response.status}. Import the file again.`,
      });
  } catch (error) {
    if (stop.signal.aborted) return;
    const why = error instanceof Error ? error.message : String(error);
    end({
      ...about,
      state: "failed",
      problem: `The file could not be sent (${why}). Import it again when the server is back.`,
    });
  } finally {
    stops.delete(import_id);
    await refreshQuestions();
  }
}
