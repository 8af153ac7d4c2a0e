import type { Clip } from "@sightline/core/clips";
import { useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "./clients.ts";
import { foldClips } from "./fold-clips.ts";
import { gather, useFollow } from "./follow.ts";

/** What was told of clips while a list of them was on its way, for each such list. */
const meanwhile = new Set<Clip[]>();

/** Puts clips as the server has just told them where they are shown. */
export function putClips(changed: readonly Clip[]): void {
  for (const news of meanwhile) news.push(...changed);
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

/** Asks for a list of clips. What is told of them meanwhile may be newer than the answer. */
async function readClips(trash: boolean): Promise<Clip[]> {
  const news: Clip[] = [];
  meanwhile.add(news);
  try {
    return [...foldClips(await client.clips.list.query({ trash }), news, trash)];
  } finally {
    meanwhile.delete(news);
  }
}

/** The clips of the library, or of its trash, live. */
export function useClips({ trash }: { trash: boolean }) {
  useFollowClips();
  return useQuery({ ...trpc.clips.list.queryOptions({ trash }), queryFn: () => readClips(trash) });
}
