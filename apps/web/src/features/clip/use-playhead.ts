import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useAhead } from "./use-ahead.ts";

const route = getRouteApi("/clips/$clipId");

/** A frame that passes by is written into the URL once it has stood this long; browsers limit such writes. */
const SETTLE_MS = 150;
/** While frames go on passing by, the URL follows this often. */
const FOLLOW_MS = 1000;

export type Playhead = {
  /** The frame on screen. */
  frame: number;
  /** The frame that the URL asks for, where the clip has none of that number; otherwise null. */
  out_of_range: number | null;
  /** Shows a frame that was chosen: a step back in the history leads to where one was. */
  open(frame: number): void;
  /** Shows a frame on the way: playing, stepping. The history keeps only where it ends. */
  pass(frame: number): void;
  /** Shows a frame under the hand, and leaves the history alone until the hand lets go and opens one. */
  drag(frame: number): void;
};

/** The frame on screen. Its home is the URL; while it passes by, it runs ahead of the URL for a moment. */
export function usePlayhead(frame_count: number): Playhead {
  const asked = route.useSearch().frame ?? 0;
  const navigate = useNavigate({ from: "/clips/$clipId" });
  const { ahead, ...leader } = useAhead<number>(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const written = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  const last = Math.max(0, frame_count - 1);
  const frame = ahead?.value ?? Math.min(asked, last);

  function write(next: number, replace: boolean): void {
    clearTimeout(timer.current);
    written.current = performance.now();
    leader.write(next);
    void navigate({ search: (search) => ({ ...search, frame: next }), replace, resetScroll: false });
  }

  function run(next: number): void {
    leader.run(next, next);
    clearTimeout(timer.current);
  }

  return {
    frame,
    out_of_range: asked > last && ahead === null ? asked : null,
    open(next) {
      if (next === frame && next === asked) return;
      run(next);
      write(next, false);
    },
    pass(next) {
      run(next);
      if (performance.now() - written.current > FOLLOW_MS) write(next, true);
      else timer.current = setTimeout(() => write(next, true), SETTLE_MS);
    },
    drag: run,
  };
}
