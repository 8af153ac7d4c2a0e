import type { TripleFields, TripleSet } from "@sightline/core/perception";
import { client } from "../../app/clients.ts";
import { notifyDone, notifyFailure, notifyUndoable } from "../../app/notify.tsx";

/** Does something and says so when it failed. */
async function attempt<T>(title: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    notifyFailure(title, error);
    return null;
  }
}

export async function editTriple(
  triple_set_id: string,
  index: number,
  after: TripleFields,
): Promise<boolean> {
  const edit = await attempt("The change was not stored", () =>
    client.triples.edit.mutate({ triple_set_id, index, after }).then((made) => ({ made })),
  );
  if (edit === null) return false;
  if (edit.made !== null) {
    notifyUndoable(`Triple ${index} changed.`, () => void undoEdit(triple_set_id, index));
  }
  return true;
}

/** @param index  Null for the last edit of the whole set. */
export async function undoEdit(triple_set_id: string, index: number | null): Promise<void> {
  const undone = await attempt("Nothing was taken back", () =>
    client.triples.undo.mutate({ triple_set_id, index }).then((edit) => ({ edit })),
  );
  if (undone === null) return;
  const { edit } = undone;
  notifyDone(edit === null ? "There is no edit to take back." : `Triple ${edit.index} is as it was before.`);
}

export async function trashSet(triple_set_id: string, label: string): Promise<void> {
  const done = await attempt("The set stays", () =>
    client.triples.trash.mutate({ triple_set_id }).then(() => true),
  );
  if (done)
    notifyUndoable(`The triples by ${label} went to the trash.`, () => void restoreSet(triple_set_id));
}

export function restoreSet(triple_set_id: string) {
  return attempt("The set did not come back", () => client.triples.restore.mutate({ triple_set_id }));
}

export function cancelSet(triple_set_id: string) {
  return attempt("The work goes on", () => client.triples.cancel.mutate({ triple_set_id }));
}

export function resumeSet(triple_set_id: string) {
  return attempt("Nothing was started", () => client.triples.resume.mutate({ triple_set_id }));
}

/** Brings in a file of triples; says what was read. Returns the first new set. */
export async function importTriples(
  clip_id: string,
  settings_hash: string,
  file: File,
): Promise<string | null> {
  const read = await attempt("Nothing was imported", async () =>
    client.triples.import.mutate({ clip_id, settings_hash, name: file.name, text: await file.text() }),
  );
  if (read === null) return null;
  const { triple_set_ids, set_aside, others } = read;
  const [first] = set_aside;
  const parts = [
    `${triple_set_ids.length} read`,
    others > 0 ? `${others} of other clips` : null,
    set_aside.length > 0 ? `${set_aside.length} set aside` : null,
  ].filter((part) => part !== null);
  const why = first === undefined ? "" : ` ${first.id}: ${first.reason}`;
  if (triple_set_ids.length === 0) {
    notifyFailure("Nothing was imported", `${parts.join(", ")}.${why}`);
  } else notifyDone(`${parts.join(", ")}.${why}`);
  return triple_set_ids[0] ?? null;
}

/** Hands a set to the person as a file that can be imported again. */
export function saveSet(set: TripleSet, clip_name: string): void {
  const { triple_set_id, settings_hash, question, perceiver, label, made_secs } = set;
  const triples = set.triples.map(({ motion: _, edits: _e, ...triple }) => triple);
  const body = { triple_set_id, clip_name, settings_hash, question, perceiver, label, made_secs, triples };
  const url = URL.createObjectURL(new Blob([JSON.stringify(body, null, 1)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${clip_name.replace(/\.[^.]+$/, "")}.triples.json`;
  link.click();
  URL.revokeObjectURL(url);
}
