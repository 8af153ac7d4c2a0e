import type { TripleSet, TripleSetSummary } from "@sightline/core/perception";
import { keepPreviousData, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { useFollow } from "../../app/follow.ts";

/** The sets of a clip, newest first, live; undefined until the server has said. */
export function useTripleSets(clip_id: string): TripleSetSummary[] | undefined {
  const queryKey = ["triples", "followed", clip_id];
  useFollow(`triples ${clip_id}`, () =>
    client.triples.follow.subscribe(
      { clip_id },
      { onData: (sets) => queryClient.setQueryData<TripleSetSummary[]>(queryKey, sets) },
    ),
  );
  return useQuery<TripleSetSummary[]>({ queryKey, queryFn: skipToken }).data;
}

/** Sets of a clip that are in the trash, the last one first; read anew with every set that goes or comes. */
export function useTrashedSets(clip_id: string, shown: number): TripleSetSummary[] {
  const trashed = useQuery({
    queryKey: ["triples", "trashed", clip_id, shown],
    queryFn: () => client.triples.trashed.query({ clip_id }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return trashed.data ?? [];
}

/** One set with its triples; read anew whenever its summary says that it changed. */
export function useTripleSet(summary: TripleSetSummary | null): TripleSet | null {
  const queries = useQueryClient();
  const triple_set_id = summary?.triple_set_id ?? null;
  const input = triple_set_id === null ? skipToken : { triple_set_id };
  const options = trpc.triples.get.queryOptions(input, { placeholderData: keepPreviousData });
  const version = summary && `${summary.state} ${summary.described} ${summary.edits}`;
  useEffect(() => {
    if (version !== null) void queries.invalidateQueries({ queryKey: trpc.triples.get.queryKey() });
  }, [version, queries]);
  const set = useQuery(options).data ?? null;
  return set?.triple_set_id === triple_set_id ? set : null;
}
