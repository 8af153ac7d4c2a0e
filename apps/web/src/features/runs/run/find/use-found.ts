import { type FindFilter, type FoundCompletion, type FoundPage, MOST_COUNTED } from "@sightline/core/find";
import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { trpc } from "../../../../app/clients.ts";

const PAGE = 100;
/** While words are being indexed, what was found may grow. */
const INDEXING_MS = 1500;

/** What a filter finds in a run: how many, and those that stand in a stretch of the list. */
export type Found = {
  total: number;
  /** True when there are more than anyone counted; the list shows the first of them. */
  isMore: boolean;
  at(index: number): FoundCompletion | undefined;
  indexed: FoundPage["indexed"] | null;
  problem: string | null;
  isLoading: boolean;
};

/**
 * @param range  First and last index of the list in sight.
 * @param arrived  Changes when the run has written more.
 */
export function useFound(
  run_id: string,
  filter: FindFilter,
  range: readonly [number, number],
  arrived: string,
): Found {
  const queryClient = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has arrived may be found
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: trpc.find.list.pathKey() });
  }, [arrived, queryClient]);
  const optionsOf = (page: number) =>
    trpc.find.list.queryOptions({ run_id, filter, offset: page * PAGE, limit: PAGE });
  const first = useQuery({
    ...optionsOf(0),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const indexed = state.data?.indexed;
      return filter.words !== undefined && indexed && indexed.done < indexed.total ? INDEXING_MS : false;
    },
  });
  const pages: number[] = [];
  for (let page = Math.floor(range[0] / PAGE); page <= Math.floor(range[1] / PAGE); page++)
    if (page > 0) pages.push(page);
  const others = useQueries({ queries: pages.map(optionsOf) });
  const total = first.data?.total ?? 0;
  return {
    total: Math.min(total, MOST_COUNTED),
    isMore: total > MOST_COUNTED,
    at(index) {
      const page = Math.floor(index / PAGE);
      const rows = page === 0 ? first.data?.rows : others[pages.indexOf(page)]?.data?.rows;
      return rows?.[index % PAGE];
    },
    indexed: first.data?.indexed ?? null,
    problem: first.error?.message ?? null,
    isLoading: first.isPending,
  };
}
