import type { SelectionVersion } from "@sightline/core/decisions";
import type { Motion } from "@sightline/core/motion";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client } from "../../../app/clients.ts";

/** Geometry's word on the way to each key-frame of a version, by the key-frame; empty while nothing is known. */
export function useMotions(version: SelectionVersion | null): ReadonlyMap<number, Motion> {
  const { clip_id = "", settings_hash = "" } = version ?? {};
  const frames = useMemo(() => version?.key_frames.map((one) => one.frame) ?? [], [version]);
  const words = useQuery({
    queryKey: ["motions", clip_id, settings_hash, frames],
    queryFn:
      version === null
        ? skipToken
        : async ({ signal }) => {
            const motions = await client.decisions.motions.query(
              { clip_id, settings_hash, frames },
              { signal },
            );
            return {
              clip_id,
              motionOf: new Map(frames.map((_, i) => [nameWay(frames, i), motions?.[i] ?? null])),
            };
          },
    staleTime: Number.POSITIVE_INFINITY,
    // After a correction most ways are as they were; their words stand while the others are looked at.
    placeholderData: keepPreviousData,
  }).data;
  return useMemo(() => {
    const known = words?.clip_id === clip_id ? words.motionOf : null;
    return new Map(
      frames.flatMap((frame, i): [number, Motion][] => {
        const motion = known?.get(nameWay(frames, i));
        return motion ? [[frame, motion]] : [];
      }),
    );
  }, [frames, words, clip_id]);
}

const nameWay = (frames: readonly number[], i: number) => `${frames[i - 1]} ${frames[i]}`;
