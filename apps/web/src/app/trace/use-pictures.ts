import { listWorldFrames, type TraceFrame } from "@sightline/core/ask";
import { findWorldOfQuestion } from "@sightline/core/links";
import type { KnownTriple } from "@sightline/core/perception";
import type { LineOf } from "@sightline/core/wire";
import type { World } from "@sightline/core/worlds";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { trpc } from "../clients.ts";

/** What a question is about, in pictures. */
export type Pictures = {
  /** Key-frames of the clip, or the poses of a world of which no clip was made. */
  frames: TraceFrame[];
  /** Null where no clip of the library is meant. */
  clip: { clip_id: string; name: string } | null;
  /** The generated world that the question asks about; null for any other question. */
  world: World | null;
  triples: KnownTriple[] | null;
  /** Whose triples they are, or where the pictures come from; null where there are none. */
  source: string | null;
  /** Why there are none, and what to do; null where there are some. */
  problem: string | null;
};

/** What names the question of a completion, and the completion itself. */
export type PicturedLine = Pick<
  LineOf<"completion">,
  "run_id" | "attempt" | "seq" | "clip_id" | "question_id"
>;

/**
 * The pictures of the clip that a completion's question asks about, with the newest triples; of its world where no clip
 * was made. Null while they are looked for.
 */
export function usePictures(line: PicturedLine): Pictures | null {
  const { run_id, attempt, seq, question_id } = line;
  const isOfWorld = useMemo(() => findWorldOfQuestion(question_id) !== null, [question_id]);
  // A clip may have been rendered of the world after the run had written its lines.
  const checked = useQuery(
    trpc.links.check.queryOptions(line.clip_id === null && isOfWorld ? { run_id, attempt, seq } : skipToken),
  );
  const isLooking = line.clip_id === null && isOfWorld && checked.isPending;
  const clip_id = line.clip_id ?? checked.data?.clip?.clip_id ?? null;
  const named = clip_id === null ? skipToken : { clip_id };
  const clip = useQuery({ ...trpc.clips.get.queryOptions(named), retry: false });
  const here = clip.data ? { clip_id: clip.data.clip_id } : skipToken;
  const selection = useQuery(trpc.keyframes.get.queryOptions(here));
  const sets = useQuery(trpc.triples.list.queryOptions(here));
  const newest = sets.data?.find(({ state }) => state === "done") ?? null;
  const set = useQuery(
    trpc.triples.get.queryOptions(newest === null ? skipToken : { triple_set_id: newest.triple_set_id }),
  );
  const isWaiting =
    isLooking ||
    (clip_id !== null && clip.isPending) ||
    (clip.data !== undefined &&
      (selection.isPending || sets.isPending || (newest !== null && set.isPending)));
  return useMemo(() => {
    if (isWaiting) return null;
    const world = findWorldOfQuestion(question_id);
    if (clip.data) {
      const { name } = clip.data;
      const found = { clip: { clip_id: clip.data.clip_id, name }, world };
      if (set.data)
        return {
          ...found,
          frames: set.data.triples.map((triple) => ({ ...triple, triple })),
          triples: set.data.triples,
          source: `Triples: ${set.data.label}.`,
          problem: null,
        };
      const kept = (selection.data?.decisions ?? []).filter((decision) => decision.kept);
      return {
        ...found,
        frames: kept.map(({ frame, time_secs }, index) => ({ index, frame, time_secs, triple: null })),
        triples: null,
        source: "No triples were made of this clip.",
        problem:
          kept.length > 0 ? null : "Key-frames of this clip are not there yet: open the clip to make them.",
      };
    }
    if (world !== null)
      return {
        clip: null,
        world,
        frames: listWorldFrames(world),
        triples: null,
        source: "Drawn here from the generated world; no clip of it was made.",
        problem: null,
      };
    return {
      clip: null,
      world,
      frames: [],
      triples: null,
      source: null,
      problem:
        clip_id === null
          ? "The question names no clip, so there are no pictures."
          : "The clip of this question is not in the library: add it there, and its key-frames are shown here.",
    };
  }, [isWaiting, clip.data, selection.data, set.data, clip_id, question_id]);
}
