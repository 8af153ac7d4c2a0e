/** Renders a world to a clip, as it runs in a decoder process. */
import type { World } from "@sightline/core/worlds";
import { renderVideo } from "../features/worlds/render-video.ts";

export type RenderArgs = { world: World; out: string };

/** @param report  Frames done. */
export function renderWorld({ world, out }: RenderArgs, report: (done: number) => void): void {
  renderVideo(world, out, undefined, report);
}
