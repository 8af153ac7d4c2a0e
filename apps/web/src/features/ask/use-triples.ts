import type { TripleSetSummary } from "@sightline/core/perception";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { putTold, useFollow } from "../../app/follow.ts";

/** The sets of triples of a clip, live. */
export function useTripleSets(clip_id: string) {
  useFollow(`ask triples ${clip_id}`, () =>
    client.triples.follow.subscribe(
      { clip_id },
      {
        onData(sets: TripleSetSummary[]) {
          void putTold(trpc.triples.list.queryKey({ clip_id }), sets);
          for (const { triple_set_id } of sets)
            void queryClient.invalidateQueries({ queryKey: trpc.triples.get.queryKey({ triple_set_id }) });
        },
      },
    ),
  );
  return useQuery(trpc.triples.list.queryOptions({ clip_id }));
}

/** One set with its triples; null for none. */
export function useTripleSet(triple_set_id: string | null) {
  return useQuery(trpc.triples.get.queryOptions(triple_set_id === null ? skipToken : { triple_set_id }));
}
