import type { Clip } from "@sightline/core/clips";

/**
 * Puts changed clips into a list of clips.
 *
 * @param clips  The library's clips, or with `trash` those in the trash; those whose video was deleted are in neither.
 * @param changed  Clips as they are now, wherever they belong.
 * @returns The same array when nothing in it changes.
 */
export function foldClips(clips: readonly Clip[], changed: readonly Clip[], trash: boolean): readonly Clip[] {
  const news = new Map(changed.map((clip) => [clip.clip_id, clip]));
  const belongs = (clip: Clip) => clip.emptied_secs === null && (clip.trashed_secs !== null) === trash;
  const next: Clip[] = [];
  let isChanged = false;
  for (const clip of clips) {
    const now = news.get(clip.clip_id);
    news.delete(clip.clip_id);
    if (now !== undefined) isChanged = true;
    if (now === undefined) next.push(clip);
    else if (belongs(now)) next.push(now);
  }
  for (const clip of news.values()) {
    if (!belongs(clip)) continue;
    next.push(clip);
    isChanged = true;
  }
  return isChanged ? next : clips;
}
