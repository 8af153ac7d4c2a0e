import type { LogSlice } from "@sightline/core/runs";
import { useCallback, useEffect, useState } from "react";
import { client } from "../../../app/clients.ts";

const SLICE_BYTES = 65_536;
/** A log is not a metric: while it is looked at, its end is asked for this often. */
const FOLLOW_MS = 1500;
/** Longest text that is kept on the page. */
const MOST_CHARACTERS = 2_000_000;

type Held = { from: number; to: number; size: number; text: string };

/** The end of an attempt's log, read on while it is followed; earlier parts on demand. */
export function useLog(run_id: string, newest: number | null, isLive: boolean) {
  const [chosen, setAttempt] = useState<number | null>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [held, setHeld] = useState<Held | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const attempt = chosen ?? newest;

  const read = useCallback(
    async (offset: number | null, max_bytes = SLICE_BYTES): Promise<LogSlice | null> => {
      if (attempt === null) return null;
      try {
        const slice = await client.runs.log.query({ run_id, attempt, offset, max_bytes });
        setProblem(null);
        return slice;
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        return null;
      }
    },
    [run_id, attempt],
  );

  useEffect(() => {
    let isGone = false;
    setHeld(null);
    void read(null).then((slice) => {
      if (slice && !isGone) setHeld(toHeld(slice));
    });
    return () => {
      isGone = true;
    };
  }, [read]);

  useEffect(() => {
    if (!isFollowing || !isLive || held === null) return;
    const timer = setTimeout(() => {
      void read(held.to).then((slice) => {
        if (slice) setHeld((now) => (now && slice.offset === now.to ? append(now, slice) : now));
      });
    }, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [isFollowing, isLive, held, read]);

  const readEarlier = useCallback(() => {
    if (held === null || held.from === 0) return;
    setReading(true);
    const from = Math.max(0, held.from - SLICE_BYTES);
    void read(from, held.from - from).then((slice) => {
      setReading(false);
      if (slice) setHeld((now) => (now ? { ...now, from: slice.offset, text: slice.text + now.text } : now));
    });
  }, [held, read]);

  return {
    attempt,
    setAttempt,
    isFollowing,
    setFollowing,
    text: held?.text ?? "",
    size: held?.size ?? null,
    hasEarlier: (held?.from ?? 0) > 0,
    isReading,
    readEarlier,
    problem,
  };
}

function toHeld({ offset, next_offset, size, text }: LogSlice): Held {
  return { from: offset, to: next_offset, size, text };
}

/** Always a new object, so that the next reading is due. */
function append(held: Held, slice: LogSlice): Held {
  const text = held.text + slice.text;
  const cut = Math.max(0, text.length - MOST_CHARACTERS);
  return { from: held.from + cut, to: slice.next_offset, size: slice.size, text: text.slice(cut) };
}
