import type { Clip, Job } from "@sightline/core/clips";
import { formatBytes, formatCodec, formatNumberOf } from "@sightline/core/format";
import type { Tone } from "@sightline/ui/status";

/** How a clip stands, where that is worth saying; null for a clip that is simply there. */
export function getStatus(clip: Clip): { tone: Tone; label: string } | null {
  switch (clip.state) {
    case "reading":
      return { tone: "busy", label: "Reading" };
    case "partial":
      return { tone: "part", label: "Read in part" };
    case "refused":
      return { tone: "wrong", label: "Refused" };
    case "ready":
      return null;
  }
}

/** "640 × 360"; null until the file has been read. */
export function formatSize({ display_width, display_height }: Clip): string | null {
  return display_width === null || display_height === null
    ? null
    : `${display_width}\u202f×\u202f${display_height}`;
}

/** One line of facts under a clip's name. */
export function describeClip(clip: Clip): string {
  return [
    clip.frame_count === null ? null : formatNumberOf(clip.frame_count, "frame"),
    formatSize(clip),
    clip.codec === null ? formatBytes(clip.bytes) : formatCodec(clip.codec),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** How far the reading of a clip is, in [0, 1]; null when that is not known. */
export function getReadShare(clip_id: string, jobs: readonly Job[]): number | null {
  const job = jobs.findLast((one) => one.kind === "read" && one.clip_id === clip_id);
  if (job === undefined || job.total === null || job.total === 0) return null;
  return Math.min(1, job.done / job.total);
}
