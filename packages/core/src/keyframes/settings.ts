import type { KeyFrameSettings } from "./types.ts";

/** Raised whenever the same settings would select other frames than before, or evidence is stored otherwise. */
export const EXTRACTOR_VERSION = 1;

/** Both ways, the smaller overlap counts; failures are named. The default. */
export const SIGHTLINE_SETTINGS: KeyFrameSettings = {
  preset: "sightline",
  sampling: "time",
  interval_secs: 1,
  threshold: 0.5,
  min_frames: 4,
  max_frames: 32,
  features: 500,
  ransac_px: 5,
  width: 640,
  gap_secs: 3,
};

/** As the released extractor: full size, keeps what it can't compare, replaces small and large selections. */
export const EMBODIED_R_SETTINGS: KeyFrameSettings = {
  ...SIGHTLINE_SETTINGS,
  preset: "embodied-r",
  sampling: "released",
  width: 0,
  gap_secs: 0,
};

/** The settings of a preset as it comes. */
export function getPresetSettings(preset: KeyFrameSettings["preset"]): KeyFrameSettings {
  return preset === "embodied-r" ? EMBODIED_R_SETTINGS : SIGHTLINE_SETTINGS;
}

/**
 * Names an extraction: equal for two extractions that select the same frames of one clip.
 *
 * @returns 16 hex digits.
 */
export function hashSettings(settings: KeyFrameSettings): string {
  return hashText(
    [
      getEvidenceHash(settings),
      settings.threshold,
      settings.min_frames,
      settings.max_frames,
      settings.gap_secs,
    ].join(" "),
  );
}

/**
 * Names the cached features and pairs that a selection is computed from: settings that differ only in threshold, number
 * of frames or gap share them.
 *
 * @returns 16 hex digits.
 */
export function getEvidenceHash(settings: KeyFrameSettings): string {
  const { preset, sampling, interval_secs, features, ransac_px, width } = settings;
  const interval = sampling === "time" ? interval_secs : 0;
  return hashText([EXTRACTOR_VERSION, preset, sampling, interval, features, ransac_px, width].join(" "));
}

/** FNV-1a, 64 bit. */
function hashText(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
