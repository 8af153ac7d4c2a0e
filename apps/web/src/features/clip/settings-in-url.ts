import { getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";

/** The part of the URL that names the settings in force; what is absent is as the preset has it. */
export type SettingsSearch = {
  preset?: "embodied-r" | undefined;
  threshold?: number | undefined;
  interval?: number | undefined;
  width?: number | undefined;
  least?: number | undefined;
  most?: number | undefined;
};

export function readSettings(search: SettingsSearch): KeyFrameSettings {
  const preset = getPresetSettings(search.preset ?? "sightline");
  return {
    ...preset,
    threshold: search.threshold ?? preset.threshold,
    interval_secs: search.interval ?? preset.interval_secs,
    width: search.width ?? preset.width,
    min_frames: search.least ?? preset.min_frames,
    max_frames: search.most ?? preset.max_frames,
  };
}

/** The other way round; every field is present, so that it takes the place of older ones. */
export function writeSettings(
  settings: KeyFrameSettings,
): Record<keyof SettingsSearch, unknown> & SettingsSearch {
  const preset = getPresetSettings(settings.preset);
  const unless = (value: number, usual: number) => (value === usual ? undefined : value);
  return {
    preset: settings.preset === "embodied-r" ? "embodied-r" : undefined,
    threshold: unless(settings.threshold, preset.threshold),
    interval: unless(settings.interval_secs, preset.interval_secs),
    width: unless(settings.width, preset.width),
    least: unless(settings.min_frames, preset.min_frames),
    most: unless(settings.max_frames, preset.max_frames),
  };
}
