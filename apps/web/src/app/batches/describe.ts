import { getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";

/** Settings in one short line: the preset, and what departs from it. "sightline · below 0.40 · every 2 s". */
export function describeSettings(settings: KeyFrameSettings): string {
  const usual = getPresetSettings(settings.preset);
  const { threshold, interval_secs, width, min_frames, max_frames } = settings;
  const parts = [
    threshold === usual.threshold ? null : `below ${threshold.toFixed(2)}`,
    interval_secs === usual.interval_secs ? null : `every ${interval_secs} s`,
    width === usual.width ? null : width === 0 ? "full size" : `${width} px wide`,
    min_frames === usual.min_frames && max_frames === usual.max_frames
      ? null
      : `${min_frames}–${max_frames} frames`,
  ];
  return [settings.preset, ...parts.filter((part) => part !== null)].join(" · ");
}
