/** One thing that the search can find. */
export type Found = {
  key: string;
  group: "Go to" | "Clips" | "Questions" | "Runs" | "Hosts" | "Commands";
  label: string;
  /** Further words that find it, not shown. */
  words?: string;
  /** Shown beside the label, quietly. */
  detail?: string;
  run: () => void;
};

/** How many of a group are shown while something is searched for. */
const LIMIT = 8;

/**
 * What a query finds: every word of it stands somewhere in the label, detail or words. Labels that begin with
 * the query come first, then those with a word that does, then the others.
 */
export function search(entries: readonly Found[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Map<Found["group"], number>();
  return entries
    .map((entry) => ({ entry, rank: getRank(entry, words) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ entry }) => entry)
    .filter(({ group }) => {
      const count = (counts.get(group) ?? 0) + 1;
      counts.set(group, count);
      return count <= LIMIT;
    });
}

function getRank({ label, detail = "", words: more = "" }: Found, words: readonly string[]): number | null {
  const name = label.toLowerCase();
  const text = `${name} ${detail.toLowerCase()} ${more.toLowerCase()}`;
  if (!words.every((word) => text.includes(word))) return null;
  const first = words[0] ?? "";
  if (name.startsWith(first)) return 0;
  return new RegExp(`[^a-z0-9]${escapePattern(first)}`).test(name) ? 1 : 2;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
