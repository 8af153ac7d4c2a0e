import type { Detection, Picture } from "@sightline/core/detection";

/** What the worker is asked. */
export type Request = { id: number; picture: Picture };

/** What it answers to an id. */
export type Answer =
  | { type: "done"; id: number; detections: Detection[] }
  | { type: "failed"; id: number; message: string };
