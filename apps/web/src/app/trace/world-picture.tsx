import { renderView, type World } from "@sightline/core/worlds";
import { useEffect, useRef } from "react";

/** What is seen from one pose of a generated world, drawn here. */
export function WorldPicture({
  world,
  pose,
  width,
  height,
  className,
}: {
  world: World;
  /** Index of the pose. */
  pose: number;
  /** In pixels. */
  width: number;
  height: number;
  className?: string | undefined;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    const from = world.poses[pose];
    if (!context || from === undefined) return;
    const rgb = renderView(world, from, width, height);
    const image = context.createImageData(width, height);
    for (let at = 0; at < width * height; at += 1) {
      image.data.set(rgb.subarray(3 * at, 3 * at + 3), 4 * at);
      image.data[4 * at + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }, [world, pose, width, height]);
  return <canvas ref={canvas} width={width} height={height} className={className} />;
}
