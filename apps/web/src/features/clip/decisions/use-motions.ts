import type { SelectionVersion } from "@sightline/core/decisions";
import type { Motion } from "@sightline/core/motion";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { trpc } from "../../../app/clients.ts";

/** Geometry's word on the way to each key-frame of a version, by the key-frame; empty while nothing is known. */
export function useMotions(version: SelectionVersion | null): ReadonlyMap<number, Motion> {
  const frames = useMemo(() => version?.key_frames.map((one) => one.frame) ?? [], [version]);
  const input =
    version === null ? skipToken : { clip_id: version.clip_id, settings_hash: version.settings_hash, frames };
  const motions = useQuery({
    ...trpc.decisions.motions.queryOptions(input),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  return useMemo(
    () =>
      new Map(
        frames.flatMap((frame, i): [number, Motion][] => {
          const motion = motions?.[i];
          return motion ? [[frame, motion]] : [];
        }),
      ),
    [frames, motions],
  );
}
