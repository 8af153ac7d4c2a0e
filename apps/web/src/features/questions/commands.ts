import type { QuestionSetSummary } from "@sightline/core/benchmarks";
import { client } from "../../app/clients.ts";
import { notifyDone, notifyFailure } from "../../app/notify.tsx";
import { tellChange } from "../../app/questions/questions.ts";

type Named = Pick<QuestionSetSummary, "set_id" | "name">;

/** Does a change, shows it with an offer to take it back, or says why it could not be; true when it was done. */
async function attempt(
  what: string,
  failure: string,
  send: () => Promise<{ change_id: number | null }>,
): Promise<boolean> {
  try {
    await tellChange(what, (await send()).change_id);
    return true;
  } catch (error) {
    notifyFailure(failure, error);
    return false;
  }
}

export const trashSet = ({ set_id, name }: Named): Promise<boolean> =>
  attempt(`Moved “${name}” to the trash`, `Could not move “${name}” to the trash`, () =>
    client.questions.trashSet.mutate({ set_id }),
  );

export const restoreSet = ({ set_id, name }: Named): Promise<boolean> =>
  attempt(`Restored “${name}”`, `Could not restore “${name}”`, () =>
    client.questions.restoreSet.mutate({ set_id }),
  );

export const restoreQuestion = (question_id: string): Promise<boolean> =>
  attempt("Question restored", "Could not restore the question", () =>
    client.questions.restore.mutate({ question_ids: [question_id] }),
  );

export const takeIn = (set_id: string, row: number): Promise<boolean> =>
  attempt(`Row ${row} was taken in`, `Could not take row ${row} in`, () =>
    client.questions.takeIn.mutate({ set_id, row }),
  );

export const chooseClip = (set_id: string, clip_key: string, clip_id: string | null): Promise<boolean> =>
  attempt(
    clip_id === null ? "The choice was taken back" : "The clip was chosen",
    "Could not choose the clip",
    () => client.questions.choose.mutate({ set_id, clip_key, clip_id }),
  );

export const splitSet = (
  set_id: string,
  by: { seed: number; train: number; val: number },
): Promise<boolean> =>
  attempt("The set was split", "Could not split the set", () =>
    client.questions.split.mutate({ set_id, ...by }),
  );

/** Hands a set to the browser as a file. */
export async function downloadSet(
  { set_id, name }: Named,
  format: "jsonl" | "released" | "grpo",
): Promise<void> {
  try {
    const file = await client.questions.export.query({ set_id, format });
    const link = document.createElement("a");
    const url = URL.createObjectURL(new Blob([file.text], { type: "application/json" }));
    link.href = url;
    link.download = file.name;
    link.click();
    URL.revokeObjectURL(url);
    if (file.left_out > 0)
      notifyDone(
        format === "grpo"
          ? `${file.left_out} questions were left out: they have no answer, or not from 2 to 8 options, or their clip has no triples.`
          : `${file.left_out} questions without options or gold answer don't fit the released layout.`,
      );
  } catch (error) {
    notifyFailure(`Could not export “${name}”`, error);
  }
}
