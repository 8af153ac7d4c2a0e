import { type Perceiver, readTriplesFile } from "@sightline/core/perception";
import { TRPCError } from "@trpc/server";
import type { SetRow, TripleStore } from "./store.ts";
import type { Described, ImportedTriples } from "./types.ts";

/** What of a clip a file is matched with. */
type Target = {
  clip_name: string;
  /** Versions of the clip's key-frames that the file may describe, the likeliest first; not empty. */
  versions: readonly Described[];
  create(perceiver: Perceiver, question: string, described: Described): SetRow;
};

/**
 * Brings in triples that were made elsewhere.
 *
 * @throws TRPCError BAD_REQUEST when the text is no such file.
 */
export function bringIn(
  store: TripleStore,
  { name, text }: { name: string; text: string },
  { clip_name, versions, create }: Target,
): ImportedTriples {
  const read = readFile(text);
  const own_name = stripExtension(clip_name);
  const imported: ImportedTriples = { triple_set_ids: [], set_aside: read.set_aside, others: 0 };
  for (const { id, clip_name: named, question, triples } of read.descriptions) {
    if (named !== null && stripExtension(named) !== own_name) {
      imported.others += 1;
      continue;
    }
    const own = triples.every(({ frame }) => frame !== null);
    const described = versions
      .map(({ key_frames, selection_version }) => {
        const frames = own
          ? triples.map(({ frame }) => key_frames.find((one) => one.frame === frame))
          : triples.length === key_frames.length
            ? key_frames
            : [];
        return { key_frames: frames.filter((frame) => frame !== undefined), selection_version };
      })
      .find(({ key_frames }) => key_frames.length > 0 && key_frames.length === triples.length);
    if (described === undefined) {
      const reason = own
        ? "It describes frames that are no key-frames under these settings."
        : `It describes ${triples.length} key-frames; under these settings the clip has ${versions[0]?.key_frames.length}. Released files go with the preset embodied-r.`;
      imported.set_aside.push({ id, reason });
      continue;
    }
    const row = create({ kind: "imported", source: name }, question, described);
    const { triple_set_id } = row;
    store.bringIn(
      row,
      triples.map(({ frame: _, index: key_frame, ...triple }) => ({ triple_set_id, key_frame, ...triple })),
    );
    imported.triple_set_ids.push(triple_set_id);
  }
  return imported;
}

const stripExtension = (name: string) => name.replace(/\.[a-z0-9]{1,5}$/i, "");

function readFile(text: string) {
  try {
    return readTriplesFile(text);
  } catch (error) {
    throw new TRPCError({ code: "BAD_REQUEST", message: (error as Error).message });
  }
}
