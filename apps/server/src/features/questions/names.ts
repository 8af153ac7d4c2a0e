import { type ClipMatch, toClipKey } from "@sightline/core/benchmarks";
import type { Clip } from "@sightline/core/clips";
import type { Library } from "../clips/library.ts";

/** The library's clips by the name that questions know them by. */
export type ClipNames = {
  /** Clips outside the trash that have this name; empty when there is none. */
  get(clip_key: string): readonly string[];
  /** How a name stands that nobody has chosen a clip for. */
  match(clip_key: string | null): ClipMatch;
};

/** Makes a reader of the library's names that looks again only after the library has changed. */
export function createClipNames(library: Library): () => ClipNames {
  let seen = -1;
  let names = index([]);
  return () => {
    const { clips, revision } = library.listChanged(seen);
    if (clips.length > 0) {
      seen = revision;
      names = index(library.list({ trash: false }));
    }
    return names;
  };
}

function index(clips: readonly Clip[]): ClipNames {
  const byKey = new Map<string, string[]>();
  for (const { clip_id, name } of clips) {
    const key = toClipKey(name);
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), clip_id]);
  }
  const get = (clip_key: string) => byKey.get(clip_key) ?? [];
  return {
    get,
    match(clip_key) {
      if (clip_key === null) return "none";
      const { length } = get(clip_key);
      return length === 0 ? "unmatched" : length === 1 ? "matched" : "ambiguous";
    },
  };
}
