import type { QuestionDraft, StoredQuestion } from "@sightline/core/benchmarks";
import { useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../clients.ts";
import { useFollow } from "../follow.ts";
import { hideUndoable, notifyDone, notifyFailure, notifyUndoable } from "../notify.tsx";

/** Asks anew for everything about questions that is on screen. */
export function refreshQuestions(): Promise<void> {
  return queryClient.invalidateQueries(trpc.questions.pathFilter());
}

/** Keeps what is on screen about questions true while the component is there, clips that come and go included. */
export function useFollowQuestions(): void {
  useFollow("questions", () =>
    client.questions.follow.subscribe(undefined, { onData: () => void refreshQuestions() }),
  );
}

/** The questions on a clip, live; those of the newest set first. */
export function useQuestionsOfClip(clip_id: string) {
  useFollowQuestions();
  return useQuery(trpc.questions.ofClip.queryOptions({ clip_id }));
}

/** Takes back one change, or the last that still stands. */
export async function undoQuestions(change_id?: number): Promise<void> {
  hideUndoable();
  try {
    const said = await client.questions.undo.mutate(change_id === undefined ? undefined : { change_id });
    await refreshQuestions();
    notifyDone(said ?? "There is nothing left to undo.");
  } catch (error) {
    notifyFailure("Could not undo", error);
  }
}

/** Shows what was changed and offers to take it back; a change of nothing says nothing. */
export async function tellChange(message: string, change_id: number | null): Promise<void> {
  await refreshQuestions();
  if (change_id !== null) notifyUndoable(message, () => void undoQuestions(change_id));
}

/** Writes a question on a clip. @throws what the server said against it. */
export async function writeQuestion(clip_id: string, draft: QuestionDraft): Promise<StoredQuestion> {
  const { question, change_id } = await client.questions.write.mutate({ clip_id, ...draft });
  await tellChange("Question written", change_id);
  return question;
}

/** Changes a question; what it said before stays in its history. @throws what the server said against it. */
export async function editQuestion(question_id: string, draft: QuestionDraft): Promise<StoredQuestion> {
  const { question, change_id } = await client.questions.edit.mutate({ question_id, ...draft });
  await tellChange("Question changed", change_id);
  return question;
}

/** Moves questions to the trash of their set. */
export async function trashQuestions(question_ids: string[]): Promise<void> {
  try {
    const { change_id } = await client.questions.trash.mutate({ question_ids });
    await tellChange("Moved to the trash", change_id);
  } catch (error) {
    notifyFailure("Could not move the question to the trash", error);
  }
}
