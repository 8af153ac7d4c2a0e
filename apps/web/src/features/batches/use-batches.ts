import type { Batch, BatchClip, ComparedClip } from "@sightline/core/batches";
import { hashSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { putTold, useFollow } from "../../app/follow.ts";

/** All batches, newest first, live. */
export function useBatches() {
  useFollow("batches", () =>
    client.batches.follow.subscribe(undefined, {
      onData: (batches) => void putTold<Batch[]>(trpc.batches.list.queryKey(), batches),
    }),
  );
  return useQuery(trpc.batches.list.queryOptions());
}

const none: readonly BatchClip[] = [];

/** The clips of a batch by place, live; empty until the first have come. */
export function useBatchClips(batch_id: string): readonly BatchClip[] {
  const key = ["batches", "clips", batch_id];
  useFollow(`batch ${batch_id}`, () =>
    client.batches.followClips.subscribe(
      { batch_id },
      {
        onData({ data }) {
          queryClient.setQueryData<BatchClip[]>(key, (now) => {
            const next = now === undefined ? [] : [...now];
            for (const clip of data) next[clip.place] = clip;
            return next;
          });
        },
      },
    ),
  );
  return useQuery<BatchClip[]>({ queryKey: key, queryFn: skipToken }).data ?? none;
}

export type Comparison = {
  /** By place; those that have not been compared yet are not among them. */
  clips: readonly ComparedClip[];
  compared: number;
  problem: string | null;
};

const nothing: Comparison = { clips: [], compared: 0, problem: null };

/**
 * A batch's selections against those of other settings, clip by clip as they are compared.
 *
 * @param through  Clips that the batch is through with: it is compared anew when there are more.
 */
export function useComparison(batch_id: string, against: KeyFrameSettings, through: number): Comparison {
  const [comparison, setComparison] = useState(nothing);
  const name = `${batch_id} ${hashSettings(against)} ${through}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for what is compared.
  useEffect(() => {
    setComparison(nothing);
    const byPlace = new Map<number, ComparedClip>();
    const stream = client.batches.compare.subscribe(
      { batch_id, against },
      {
        onData({ clips, compared }) {
          for (const clip of clips) byPlace.set(clip.place, clip);
          setComparison({ clips: [...byPlace.values()], compared, problem: null });
        },
        onError: ({ message }) => setComparison((now) => ({ ...now, problem: message })),
      },
    );
    return () => stream.unsubscribe();
  }, [name]);
  return comparison;
}
