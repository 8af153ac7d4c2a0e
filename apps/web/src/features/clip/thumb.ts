/** Address of a frame's small picture; sampled frames have theirs ready. */
export function getThumb(clip_id: string, frame: number): string {
  return `/media/clips/${clip_id}/frames/${frame}.jpg?width=320`;
}
