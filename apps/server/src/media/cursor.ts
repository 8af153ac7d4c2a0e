import type { Frame } from "node-av";
import type { VideoFacts } from "./probe.ts";
import { getEntry, readPictures } from "./read-frames.ts";
import type { FrameIndex } from "./scan.ts";

/** How many frames ahead of the first one a cursor is prepared to go on. */
const REACH = 2000;

/** A place in a clip. Frames that are asked for one after another are decoded once, not each from its key frame. */
export type Cursor = {
  file: string;
  /** Calls `use` with the frame, which is valid only until it returns; null when the frame can't be decoded. */
  read<T>(ordinal: number, use: (frame: Frame, facts: VideoFacts) => T): T | null;
  close(): void;
};

export function openCursor(file: string, index: FrameIndex, threads = 2): Cursor {
  let pictures: ReturnType<typeof readPictures> | null = null;
  let end = 0;
  let next = 0;

  const close = () => {
    pictures?.return();
    pictures = null;
  };
  const start = (ordinal: number) => {
    close();
    end = Math.min(index.time_secs.length, ordinal + REACH);
    next = ordinal;
    const ahead = Array.from({ length: end - ordinal }, (_, k) => ordinal + k);
    pictures = readPictures(file, index, ahead, threads);
    return pictures;
  };

  return {
    file,
    read(ordinal, use) {
      if (!(ordinal >= 0 && ordinal < index.time_secs.length)) return null;
      const goesOn =
        pictures !== null && ordinal >= next && ordinal < end && getEntry(index, ordinal) <= next;
      const source = goesOn && pictures ? pictures : start(ordinal);
      for (let step = source.next(); !step.done; step = source.next()) {
        next = step.value.ordinal + 1;
        if (step.value.ordinal === ordinal) return use(step.value.frame, step.value.facts);
        if (step.value.ordinal > ordinal) break;
      }
      close();
      return null;
    },
    close,
  };
}
