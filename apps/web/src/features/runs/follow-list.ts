import type { RunSummary } from "@sightline/core/runs";
import { useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { useFollow } from "../../app/follow.ts";

/** Follows the list of runs while the component is on screen; the stream tells the whole list. */
export function useFollowRuns(): void {
  useFollow("runs", () =>
    client.runs.followList.subscribe(undefined, {
      onData: (runs) =>
        queryClient.setQueryData<RunSummary[]>(trpc.runs.list.queryKey({ trash: false }), [...runs]),
    }),
  );
}

/** All runs, live. */
export function useRuns() {
  useFollowRuns();
  return useQuery(trpc.runs.list.queryOptions({ trash: false }));
}

/** The runs in the trash. */
export function useTrashedRuns(isShown: boolean) {
  return useQuery({ ...trpc.runs.list.queryOptions({ trash: true }), enabled: isShown });
}
