import { getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";

/** The part of the URL that names settings; what is absent beside a preset is as the preset has it. */
export type SettingsSearch = {
  preset?: KeyFrameSettings["preset"] | undefined;
  threshold?: number | undefined;
  interval?: number | undefined;
  width?: number | undefined;
  least?: number | undefined;
  most?: number | undefined;
  gap?: number | undefined;
};

/** @param saved  The settings that a URL without a preset means. */
export function readSettings(search: SettingsSearch, saved: KeyFrameSettings): KeyFrameSettings {
  const base = search.preset === undefined ? saved : getPresetSettings(search.preset);
  return {
    ...base,
    threshold: search.threshold ?? base.threshold,
    interval_secs: search.interval ?? base.interval_secs,
    width: search.width ?? base.width,
    min_frames: search.least ?? base.min_frames,
    max_frames: search.most ?? base.max_frames,
    gap_secs: search.gap ?? base.gap_secs,
  };
}

/** The other way round; every field is present, so that it takes the place of an older one. */
export function writeSettings(settings: KeyFrameSettings) {
  const preset = getPresetSettings(settings.preset);
  const unless = (value: number, usual: number) => (value === usual ? undefined : value);
  return {
    preset: settings.preset,
    threshold: unless(settings.threshold, preset.threshold),
    interval: unless(settings.interval_secs, preset.interval_secs),
    width: unless(settings.width, preset.width),
    least: unless(settings.min_frames, preset.min_frames),
    most: unless(settings.max_frames, preset.max_frames),
    gap: unless(settings.gap_secs, preset.gap_secs),
  };
}
