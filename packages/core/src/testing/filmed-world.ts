import {
  compareFrames,
  createPairSource,
  type FrameFeatures,
  type LumaPlane,
  PairCache,
  SIGHTLINE_SETTINGS,
  sampleFrames,
  selectKeyFrames,
} from "../keyframes/index.ts";
import { getFilmSecs, getPoseAt, renderView, type World } from "../worlds/index.ts";

const FRAME_RATE = 10;

/** The sampled frames of a world's clip, as they would be filmed; no encoder comes between. */
export function filmWorld(world: World, { width, height }: { width: number; height: number }): LumaPlane[] {
  const times = Array.from({ length: Math.round(getFilmSecs(world) * FRAME_RATE) }, (_, i) => i / FRAME_RATE);
  return sampleFrames(times, SIGHTLINE_SETTINGS).map((frame) => {
    const time_secs = times[frame] ?? 0;
    const rgb = renderView(world, getPoseAt(world, time_secs), width, height);
    const data = Uint8Array.from({ length: width * height }, (_, i) => toLuma(rgb, 3 * i));
    return { width, height, data, frame, time_secs, rotation: 0, full_range: false };
  });
}

/** The key-frames of a filmed world, as the product selects them. */
export function selectOfWorld(world: World, frames: readonly FrameFeatures[]) {
  const comparer = {
    compare: (a: FrameFeatures, b: FrameFeatures) => compareFrames(a, b, SIGHTLINE_SETTINGS, null),
  };
  const getPair = createPairSource(frames, new PairCache(), comparer);
  return selectKeyFrames(world.world_id, frames, SIGHTLINE_SETTINGS, getPair);
}

/** BT.601, limited range, as the encoder of rendered clips has it. */
const toLuma = (rgb: Uint8Array, i: number) =>
  16.5 + 0.256788 * (rgb[i] ?? 0) + 0.504129 * (rgb[i + 1] ?? 0) + 0.097906 * (rgb[i + 2] ?? 0);
