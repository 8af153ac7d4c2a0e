import type { Clip } from "../clips/index.ts";

/** A clip that is ready to play, but for what the test says. */
export function makeClip(fields: Partial<Clip> & { clip_id: string }): Clip {
  return {
    name: `${fields.clip_id}.mp4`,
    tags: [],
    state: "ready",
    problem: null,
    bytes: 1_000_000,
    added_secs: 0,
    trashed_secs: null,
    emptied_secs: null,
    codec: "h264",
    container: "mov,mp4,m4a,3gp,3g2,mj2",
    display_width: 640,
    display_height: 360,
    coded_width: 640,
    coded_height: 360,
    rotation: 0,
    pixel_aspect: 1,
    frame_count: 250,
    duration_secs: 10,
    field_of_view_deg: null,
    playback: "original",
    playback_problem: null,
    ...fields,
  };
}
