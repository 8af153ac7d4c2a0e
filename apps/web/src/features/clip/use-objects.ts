import type { Detection, Picture } from "@sightline/core/detection";
import type { FramePicture, FrameSource } from "@sightline/ui/player";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { createDetector, type Detector } from "../../app/detector/index.ts";
import { isAbort } from "./use-extraction-here.ts";

export type ObjectState =
  | { state: "off" }
  | { state: "looking" }
  /** Nothing could be looked at; `why` is a sentence. */
  | { state: "failed"; why: string }
  | { state: "shown"; detections: Detection[] };

type Looked = { frame: number; source: FrameSource; outcome: ObjectState };

/**
 * What the small detector finds on the frame on screen, in this browser.
 *
 * @param is_on  Whether a person wants to see it; the detector is loaded only then.
 * @param width  Of the picture as displayed, in whose pixels the boxes are.
 */
export function useObjects(
  is_on: boolean,
  source: FrameSource | null,
  frame: number,
  width: number,
  height: number,
): ObjectState {
  const detector = useDetector(is_on);
  const [looked, setLooked] = useState<Looked | null>(null);
  const subscribe = useCallback(
    (listener: () => void) => source?.subscribe(listener) ?? (() => {}),
    [source],
  );
  const is_here = useSyncExternalStore(subscribe, () => source !== null && source.get(frame) !== null);
  const problem = useSyncExternalStore(subscribe, () => source?.problemOf(frame) ?? null);

  useEffect(() => {
    if (detector === null || source === null || !is_here) return;
    let is_over = false;
    const say = (outcome: ObjectState) => {
      if (!is_over) setLooked({ frame, source, outcome });
    };
    const look = async () => {
      const picture = source.get(frame);
      if (picture === null) return;
      try {
        const detections = await detector.detect(readPixels(picture, width, height));
        say({ state: "shown", detections });
      } catch (error) {
        if (!isAbort(error))
          say({ state: "failed", why: error instanceof Error ? error.message : String(error) });
      }
    };
    // A moment's rest, so that playing and dragging leave no queue behind them.
    const timer = setTimeout(() => void look(), REST_MS);
    return () => {
      is_over = true;
      clearTimeout(timer);
    };
  }, [detector, is_here, source, frame, width, height]);

  if (!is_on) return { state: "off" };
  if (!is_here && problem !== null) return { state: "failed", why: problem };
  return looked?.frame === frame && looked.source === source ? looked.outcome : { state: "looking" };
}

const REST_MS = 120;

/** The detector while it is wanted. */
function useDetector(is_on: boolean): Detector | null {
  const [detector, setDetector] = useState<Detector | null>(null);
  useEffect(() => {
    if (!is_on) return;
    const opened = createDetector();
    setDetector(opened);
    return () => {
      opened.close();
      setDetector(null);
    };
  }, [is_on]);
  return detector;
}

function readPixels(picture: FramePicture, width: number, height: number): Picture {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("this browser gives no canvas to read the picture from");
  picture.draw(context, 0, 0, width, height);
  return { width, height, channels: 4, data: context.getImageData(0, 0, width, height).data };
}
