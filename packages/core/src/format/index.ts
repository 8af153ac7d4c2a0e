/**
 * Numbers for people. One way to write each kind of number, everywhere.
 */

/**
 * A stretch or moment of a clip as m:ss.f, or h:mm:ss.f from an hour on.
 *
 * @param secs  Seconds; null when unknown.
 * @returns "1:07.4"; "–" for null and for what is not finite.
 */
export function formatClock(secs: number | null): string {
  if (secs === null || !Number.isFinite(secs)) return "–";
  const sign = secs <= -0.05 ? "−" : "";
  const tenths = Math.round(Math.abs(secs) * 10);
  const hours = Math.floor(tenths / 36_000);
  const minutes = Math.floor(tenths / 600) % 60;
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return hours === 0
    ? `${sign}${minutes}:${rest}`
    : `${sign}${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/**
 * A frame as the product names it: "frame 214 · 7.13 s".
 *
 * @param frame  0-based ordinal.
 * @param time_secs  Seconds from the clip's start.
 */
export function formatFrame(frame: number, time_secs: number): string {
  return `frame ${frame} · ${time_secs.toFixed(2)} s`;
}

/** A size in decimal units with about three digits: "512 B", "4.06 MB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** A whole number with thin grouping: "12 345". */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** "1 clip", "3 clips". */
export function formatNumberOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How long something lasts, in one short word group: "a moment", "9 min", "2 h", "3 days". */
export function formatLasting(secs: number): string {
  if (secs < 60) return "a moment";
  if (secs < 3600) return `${Math.floor(secs / 60)} min`;
  if (secs < 86_400) return `${Math.floor(secs / 3600)} h`;
  return formatNumberOf(Math.floor(secs / 86_400), "day");
}

/**
 * How long ago something was, in one short word group.
 *
 * @param then_secs  UTC seconds.
 * @param now_secs  UTC seconds.
 */
export function formatAgo(then_secs: number, now_secs: number): string {
  const passed = Math.max(0, now_secs - then_secs);
  if (passed < 60) return "just now";
  if (passed < 30 * 86_400) return `${formatLasting(passed)} ago`;
  return new Date(then_secs * 1000).toISOString().slice(0, 10);
}

/** A codec of FFmpeg as people write it: "h264" is "H.264"; "–" for null. */
export function formatCodec(codec: string | null): string {
  if (codec === null) return "–";
  const names: Record<string, string> = {
    h264: "H.264",
    hevc: "HEVC",
    mpeg4: "MPEG-4",
    vp8: "VP8",
    vp9: "VP9",
    av1: "AV1",
    gif: "GIF",
    mjpeg: "MJPEG",
    prores: "ProRes",
  };
  return names[codec] ?? codec;
}

/** A text of a person or a file that stands on one line: without control characters, and without any that turn it round. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "").trim();
}
