import type { Clip, SampleTable } from "@sightline/core/clips";
import type { FrameSource } from "@sightline/ui/player";
import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { fetchInSession, trpc } from "../../app/clients.ts";
import { ClipDecoder } from "./decode/clip-decoder.ts";
import { ServerFrames } from "./decode/server-frames.ts";

/** Wider pictures than this are not asked of the server. */
const WIDEST_PX = 1920;

export type Frames = {
  source: FrameSource | null;
  /** How the pictures come: decoded here from the file or its copy, or drawn by the server. */
  by: "original" | "proxy" | "server";
  /** Why the browser does not decode, as the rest of "this browser can't …"; null while it does. */
  refusal: string | null;
  /** Begins anew after a failure. */
  retry(): void;
};

/**
 * Exact pictures of a clip: decoded in the browser where it can, drawn by the server where it can't. A browser that can't
 * play the original exactly asks for a proxy, and uses the server's pictures until that is made.
 */
export function useFrameSource(clip: Clip, table: SampleTable | undefined): Frames {
  const { clip_id, playback, bytes, rotation, display_width } = clip;
  const [source, setSource] = useState<ClipDecoder | ServerFrames | null>(null);
  const [refused, setRefused] = useState<{ playback: Clip["playback"]; refusal: string } | null>(null);
  const { mutate: makeProxy } = useMutation(trpc.clips.makeProxy.mutationOptions());
  const [attempt, setAttempt] = useState(0);
  const refusal = refused?.playback === playback ? refused.refusal : null;
  const decodes = playback !== "none" && refusal === null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew with the same parts.
  useEffect(() => {
    if (table === undefined) return;
    const width = Math.min(WIDEST_PX, display_width ?? WIDEST_PX);
    const fetchPicture = (frame: number) => fetchFrame(clip_id, frame, width);
    if (!decodes) {
      const frames = new ServerFrames({ frame_count: table.time_secs.length, fetchPicture });
      setSource(frames);
      return () => frames.dispose();
    }
    const decoder = new ClipDecoder({
      url: `/media/clips/${clip_id}/${playback}`,
      bytes,
      table,
      rotation: playback === "original" ? rotation : null,
      fetch: fetchInSession,
      fetchPicture,
    });
    const stop = decoder.subscribe(() => {
      if (decoder.refusal === null) return;
      setRefused({ playback, refusal: decoder.refusal });
      if (playback === "original") makeProxy({ clip_id });
    });
    setSource(decoder);
    return () => {
      stop();
      decoder.dispose();
    };
  }, [clip_id, playback, bytes, rotation, display_width, table, decodes, makeProxy, attempt]);

  return {
    source,
    by: decodes ? playback : "server",
    refusal,
    retry: () => setAttempt((before) => before + 1),
  };
}

/** Subscribes to something that a source says, such as a frame's problem. */
export function useSourceValue<T>(source: FrameSource | null, read: (source: FrameSource) => T): T | null {
  const subscribe = useCallback((changed: () => void) => source?.subscribe(changed) ?? (() => {}), [source]);
  return useSyncExternalStore(subscribe, () => (source === null ? null : read(source)));
}

async function fetchFrame(clip_id: string, frame: number, width: number): Promise<ImageBitmap> {
  const response = await fetchInSession(`/media/clips/${clip_id}/frames/${frame}.jpg?width=${width}`);
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => null);
    const isSaid = typeof answer === "object" && answer !== null && "message" in answer;
    throw new Error(isSaid ? String(answer.message) : `the server answered ${response.status}.`);
  }
  return createImageBitmap(await response.blob());
}
