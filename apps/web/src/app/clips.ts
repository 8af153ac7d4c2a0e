import type { Clip } from "@sightline/core/clips";
import { useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "./clients.ts";
import { foldClips } from "./fold-clips.ts";
import { gather, useFollow } from "./follow.ts";

/** Puts clips as the server has just told them where they are shown. */
export function putClips(changed: readonly Clip[]): void {
  for (const trash of [false, true]) {
    queryClient.setQueryData(trpc.clips.list.queryKey({ trash }), (clips) =>
      clips === undefined ? undefined : [...foldClips(clips, changed, trash)],
    );
  }
  for (const clip of changed)
    queryClient.setQueryData(trpc.clips.get.queryKey({ clip_id: clip.clip_id }), clip);
}

/** Follows all changes of the library while the component is on screen. */
export function useFollowClips(): void {
  useFollow("clips", () => {
    const put = gather<Clip>(putClips);
    return client.clips.follow.subscribe(undefined, {
      onData: ({ data }) => put(data),
    });
  });
}

/** The clips of the library, or of its trash, live. */
export function useClips({ trash }: { trash: boolean }) {
  useFollowClips();
  return useQuery(trpc.clips.list.queryOptions({ trash }));
}
