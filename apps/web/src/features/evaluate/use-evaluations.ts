import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { useFollow } from "../../app/follow.ts";

/** Asks anew for all that is on screen of evaluations. */
export function refreshEvaluations(): Promise<void> {
  return queryClient.invalidateQueries(trpc.evaluations.pathFilter());
}

function useFollowEvaluations(): void {
  useFollow("evaluations", () =>
    client.evaluations.follow.subscribe(undefined, { onData: () => void refreshEvaluations() }),
  );
}

/** All evaluations, newest first, live. */
export function useEvaluations() {
  useFollowEvaluations();
  return useQuery(trpc.evaluations.list.queryOptions());
}

/** One evaluation with its rows, live; null for none. */
export function useEvaluation(evaluation_id: string | null) {
  useFollowEvaluations();
  return useQuery({
    ...trpc.evaluations.get.queryOptions(evaluation_id === null ? skipToken : { evaluation_id }),
    placeholderData: (before) => (before?.evaluation_id === evaluation_id ? before : undefined),
  });
}
