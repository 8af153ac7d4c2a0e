import { getFrameAt } from "@sightline/core/clips";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FrameSource } from "./frame-source.ts";
import { pressShuttle, type ShuttleRate } from "./shuttle.ts";

/** Time that one tick may cover, in seconds; a tab that was hidden does not jump ahead. */
const LONGEST_TICK_SECS = 0.1;

export type Transport = {
  rate: ShuttleRate;
  /** 1 or −1: where the eye was last going. */
  direction: 1 | -1;
  press(key: "j" | "k" | "l"): void;
  /** Plays at normal speed, or stands still; from the last frame it begins anew. */
  toggle(): void;
  stop(): void;
  /** Moves by whole frames and stops. */
  step(frames: number): void;
  /** Moves to the frame on screen that many seconds away, at least one frame, and stops. */
  skip(secs: number): void;
  /** Moves to a frame and stops. */
  goTo(frame: number): void;
};

/**
 * Playback by the clip's own times. The clock stands still while the picture under it is not decoded yet, so no frame
 * goes by unseen at normal speed.
 *
 * @param time_secs  Time of each frame in seconds from the clip's start.
 * @param onFrame  Takes the frame that should be shown; `playing` tells playback from a person's step.
 */
export function useTransport({
  source,
  time_secs,
  frame,
  onFrame,
}: {
  source: FrameSource | null;
  time_secs: readonly number[];
  frame: number;
  onFrame(frame: number, playing: boolean): void;
}): Transport {
  const [rate, setRate] = useState<ShuttleRate>(0);
  const [direction, setDirection] = useState<1 | -1>(1);
  const now = useRef({ frame, onFrame });
  now.current = { frame, onFrame };
  const last = time_secs.length - 1;

  const stop = useCallback(() => setRate(0), []);

  const goTo = useCallback(
    (wanted: number) => {
      const next = Math.min(last, Math.max(0, wanted));
      setRate(0);
      if (next === now.current.frame) return;
      setDirection(next < now.current.frame ? -1 : 1);
      now.current.onFrame(next, false);
    },
    [last],
  );

  const play = useCallback(
    (next: ShuttleRate) => {
      if (next > 0 && now.current.frame === last) now.current.onFrame(0, true);
      if (next < 0 && now.current.frame === 0) now.current.onFrame(last, true);
      if (next !== 0) setDirection(next > 0 ? 1 : -1);
      setRate(next);
    },
    [last],
  );

  useEffect(() => {
    if (rate === 0 || source === null) return;
    let shown = now.current.frame;
    let clock_secs = time_secs[shown] ?? 0;
    let before = performance.now();
    let request = requestAnimationFrame(tick);

    function tick(at: number): void {
      const passed = Math.min(LONGEST_TICK_SECS, Math.max(0, (at - before) / 1000));
      before = at;
      const { frame: current, onFrame: show } = now.current;
      if (current !== shown) {
        shown = current;
        clock_secs = time_secs[shown] ?? 0;
      }
      const at_hand = source?.get(shown) != null || source?.problemOf(shown) != null;
      if (at_hand) clock_secs += passed * rate;
      const next = getFrameAt(time_secs, clock_secs);
      const ended = rate > 0 ? shown === last : clock_secs <= 0;
      if (next !== shown) {
        shown = next;
        now.current.frame = next;
        show(next, true);
      }
      if (ended) setRate(0);
      else request = requestAnimationFrame(tick);
    }

    return () => cancelAnimationFrame(request);
  }, [rate, source, time_secs, last]);

  return useMemo(
    () => ({
      rate,
      direction,
      stop,
      goTo,
      press: (key) => play(pressShuttle(rate, key)),
      toggle: () => play(rate === 0 ? 1 : 0),
      step: (frames) => goTo(now.current.frame + frames),
      skip: (secs) => {
        const { frame: current } = now.current;
        const target = getFrameAt(time_secs, (time_secs[current] ?? 0) + secs);
        goTo(target === current ? current + Math.sign(secs) : target);
      },
    }),
    [rate, direction, stop, goTo, play, time_secs],
  );
}
