import type { RunSummary } from "@sightline/core/runs";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { notifyDone, notifyFailure, notifyUndoable } from "../../app/notify.tsx";

const nameOf = (runs: readonly RunSummary[]) =>
  runs.length === 1 ? `“${runs[0]?.name}”` : `${runs.length} runs`;

const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.runs.list.queryKey() });

/** Moves runs to the trash; it can be taken back. */
export async function trash(runs: readonly RunSummary[]): Promise<void> {
  const run_ids = runs.map(({ run_id }) => run_id);
  try {
    await client.runs.trash.mutate({ run_ids });
    await refresh();
    notifyUndoable(`Moved ${nameOf(runs)} to the trash.`, () => void restore(runs));
  } catch (error) {
    notifyFailure(`Could not move ${nameOf(runs)} to the trash`, error);
  }
}

export async function restore(runs: readonly RunSummary[]): Promise<void> {
  try {
    await client.runs.restore.mutate({ run_ids: runs.map(({ run_id }) => run_id) });
    await refresh();
    notifyDone(`Brought ${nameOf(runs)} back.`);
  } catch (error) {
    notifyFailure(`Could not bring ${nameOf(runs)} back`, error);
  }
}

export async function rename(run: RunSummary, name: string): Promise<void> {
  if (name.trim() === "" || name.trim() === run.name) return;
  try {
    await client.runs.rename.mutate({ run_id: run.run_id, name: name.trim() });
    await refresh();
    await queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ run_id: run.run_id }) });
  } catch (error) {
    notifyFailure(`Could not rename “${run.name}”`, error);
  }
}

/** Cancels a run that waits, or asks one that runs to save and end. */
export async function stop(run: RunSummary): Promise<void> {
  try {
    await client.runs.stop.mutate({ run_id: run.run_id });
    notifyDone(
      run.state === "queued"
        ? `Cancelled “${run.name}”.`
        : `“${run.name}” stops after its step and saves a checkpoint.`,
    );
  } catch (error) {
    notifyFailure(`Could not stop “${run.name}”`, error);
  }
}

/** Moves a waiting run before another one of its host; null moves it to the end. */
export async function moveInQueue(run: RunSummary, before_run_id: string | null): Promise<void> {
  try {
    await client.runs.moveInQueue.mutate({ run_id: run.run_id, before_run_id });
  } catch (error) {
    notifyFailure(`Could not move “${run.name}”`, error);
  }
}
