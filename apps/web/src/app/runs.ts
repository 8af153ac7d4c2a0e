import type { RunSummary } from "@sightline/core/runs";
import { useQuery } from "@tanstack/react-query";
import { client, trpc } from "./clients.ts";
import { putTold, useFollow } from "./follow.ts";

/** All runs that are not in the trash, live: the stream tells the whole list. */
export function useRuns() {
  useFollow("runs", () =>
    client.runs.followList.subscribe(undefined, {
      onData: (runs) => void putTold<RunSummary[]>(trpc.runs.list.queryKey({ trash: false }), [...runs]),
    }),
  );
  return useQuery(trpc.runs.list.queryOptions({ trash: false }));
}
