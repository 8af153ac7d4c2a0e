import type { RunSummary } from "@sightline/core/runs";
import { useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "./clients.ts";
import { useFollow } from "./follow.ts";

/** All runs that are not in the trash, live: the stream tells the whole list. */
export function useRuns() {
  useFollow("runs", () =>
    client.runs.followList.subscribe(undefined, {
      onData: (runs) =>
        queryClient.setQueryData<RunSummary[]>(trpc.runs.list.queryKey({ trash: false }), [...runs]),
    }),
  );
  return useQuery(trpc.runs.list.queryOptions({ trash: false }));
}
