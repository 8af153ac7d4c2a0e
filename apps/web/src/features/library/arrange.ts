import type { Clip } from "@sightline/core/clips";

export type Sort = "added" | "name" | "duration" | "size";
export type Order = "asc" | "desc";

/** What of the library is shown, and how; all of it stands in the URL. */
export type Arrangement = { q: string; tag: string | null; sort: Sort; order: Order };

/** The order that a person expects first: the newest, the longest, the largest, but names from A. */
export function getFirstOrder(sort: Sort): Order {
  return sort === "name" ? "asc" : "desc";
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const compare: Record<Sort, (a: Clip, b: Clip) => number> = {
  added: (a, b) => a.added_secs - b.added_secs,
  name: (a, b) => collator.compare(a.name, b.name),
  duration: (a, b) => (a.duration_secs ?? -1) - (b.duration_secs ?? -1),
  size: (a, b) => a.bytes - b.bytes,
};

/** The clips that are shown, in order. Every word of `q` stands in the name, a tag, the codec or the state. */
export function arrangeClips(clips: readonly Clip[], { q, tag, sort, order }: Arrangement): Clip[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const sign = order === "asc" ? 1 : -1;
  return clips
    .filter((clip) => tag === null || clip.tags.includes(tag))
    .filter((clip) => {
      if (words.length === 0) return true;
      const text = [clip.name, ...clip.tags, clip.codec ?? "", clip.state].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort(
      (a, b) =>
        sign * compare[sort](a, b) || collator.compare(a.name, b.name) || (a.clip_id < b.clip_id ? -1 : 1),
    );
}

/** All tags in use with their number of clips, the most used first. */
export function countTags(clips: readonly Clip[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags } of clips) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || collator.compare(a.tag, b.tag));
}
