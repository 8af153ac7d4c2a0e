import { useLayoutEffect, useRef } from "react";
import { type Axis, formatTick } from "./axis.ts";
import type { Box } from "./picture.ts";
import type { Viewport } from "./viewport.ts";

/**
 * Moves the drawn picture of a chart while a gesture lasts, outside of React: the layer of shapes is shifted and
 * stretched, nothing is drawn anew, and a line says what range is meant.
 */
export function useMoving(
  viewport: Viewport | undefined,
  x_axis: Axis,
  box: Box,
  formatX: ((value: number, axis: Axis) => string) | undefined,
) {
  const stage = useRef<HTMLDivElement | null>(null);
  const range = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (viewport === undefined) return;
    const move = () => {
      const layer = stage.current?.querySelector<HTMLElement>("[data-layer]");
      if (!layer || !stage.current) return;
      const window = viewport.get();
      if (window === null) {
        layer.style.transform = "";
        delete stage.current.dataset.moving;
        return;
      }
      const stretch = (x_axis.to - x_axis.from) / (window[1] - window[0]);
      const shift = ((x_axis.from - window[0]) / (window[1] - window[0])) * box.width;
      layer.style.transformOrigin = `${box.left}px 0`;
      layer.style.transform = `translateX(${shift}px) scaleX(${stretch})`;
      stage.current.dataset.moving = "";
      const show = (x: number) => formatX?.(x, x_axis) ?? formatTick(x, x_axis);
      if (range.current) range.current.textContent = `${show(window[0])} – ${show(window[1])}`;
    };
    move();
    return viewport.subscribe(move);
  }, [viewport, x_axis, box, formatX]);
  return { stage, range };
}
