import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../../../app/clients.ts";
import { useFollow } from "../../../../app/follow.ts";

function useFollowReplays(): void {
  useFollow("replays", () =>
    client.replay.follow.subscribe(undefined, {
      onData: () => {
        void queryClient.invalidateQueries({ queryKey: trpc.replay.list.pathKey() });
        void queryClient.invalidateQueries({ queryKey: trpc.replay.get.pathKey() });
      },
    }),
  );
}

/** The replays of a run, newest first, live. */
export function useReplays(run_id: string) {
  useFollowReplays();
  return useQuery(trpc.replay.list.queryOptions({ run_id }));
}

/** One replay, live while it is at work; null for none. */
export function useReplay(replay_id: string | null) {
  useFollowReplays();
  return useQuery({
    ...trpc.replay.get.queryOptions(replay_id === null ? skipToken : { replay_id }),
    placeholderData: (before) => (before?.replay_id === replay_id ? before : undefined),
  });
}
