import { decodeFeatures, type KeyFrameSelection } from "@sightline/core/keyframes";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchInSession } from "../../app/clients.ts";
import { drawMatches, type MatchPicture } from "./match-features.ts";

export type MatchState =
  | { state: "off" }
  | { state: "loading" }
  /** Nothing to draw; `why` is a sentence. */
  | { state: "none"; why: string }
  | { state: "shown"; picture: MatchPicture; reference: number };

/**
 * How the sampled frame on screen matches the key-frame that it was compared with.
 *
 * @param is_on  Whether a person wants to see it; features are fetched only then.
 * @param stored  A selection that the server keeps, with the same evidence as `selection`.
 */
export function useMatches(
  is_on: boolean,
  selection: KeyFrameSelection | null,
  stored: KeyFrameSelection | null,
  frame: number,
  display_width: number,
): MatchState {
  const features = useQuery({
    queryKey: ["keyframe-features", stored?.clip_id, stored?.settings_hash],
    queryFn: is_on && stored !== null ? () => fetchFeatures(stored) : skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const decision = selection?.decisions.find((one) => one.frame === frame);
  const evidence = decision?.evidence ?? null;
  const ransac_px = selection?.settings.ransac_px ?? 0;
  const plane_width = selection?.plane_width ?? display_width;
  const picture = useMemo(() => {
    if (!is_on || evidence === null || features.data === undefined) return null;
    const reference = features.data.find((one) => one.frame === evidence.reference);
    const candidate = features.data.find((one) => one.frame === evidence.frame);
    if (reference === undefined || candidate === undefined) return null;
    return drawMatches(reference, candidate, evidence, ransac_px, display_width / plane_width);
  }, [is_on, evidence, features.data, ransac_px, display_width, plane_width]);

  if (!is_on) return { state: "off" };
  if (stored === null) return { state: "none", why: "Matches are shown once the key-frames are saved." };
  if (features.isError) return { state: "none", why: features.error.message };
  if (decision === undefined) return { state: "none", why: "Only sampled frames are matched." };
  if (evidence === null) return { state: "none", why: "The first frame has none to be compared with." };
  if (picture === null) return { state: "loading" };
  return { state: "shown", picture, reference: evidence.reference };
}

async function fetchFeatures({ clip_id, settings_hash }: KeyFrameSelection) {
  const response = await fetchInSession(`/media/clips/${clip_id}/features?settings_hash=${settings_hash}`);
  if (!response.ok) throw new Error(`The matches could not be read: the server answered ${response.status}.`);
  return decodeFeatures(new Uint8Array(await response.arrayBuffer()));
}
