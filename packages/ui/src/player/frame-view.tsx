import { formatFrame } from "@sightline/core/format";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { FrameSource } from "./frame-source.ts";
import classes from "./player.module.css";

/** What stands on the canvas. */
type Drawn = { frame: number; exact: boolean };

/**
 * One exact picture of a clip, upright, letterboxed, sharp at the screen's own pixels. While the wanted picture is being
 * decoded, the nearest one at hand is shown and said to be so.
 *
 * @param width  Upright display width in pixels, pixel aspect applied; likewise `height`.
 * @param children  Overlay as parts of an SVG of `width` × `height` units, given how many of them make a CSS pixel.
 */
export function FrameView({
  source,
  frame,
  direction,
  time_secs,
  width,
  height,
  children,
}: {
  source: FrameSource | null;
  frame: number;
  direction: 1 | -1;
  /** Time of `frame` in seconds from the clip's start. */
  time_secs: number;
  width: number;
  height: number;
  children?: (units_per_px: number) => ReactNode;
}) {
  const boxRef = useRef<HTMLDivElement>(null);
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const box = useDevicePixels(boxRef);
  const [drawn, setDrawn] = useState<Drawn | null>(null);

  const fit = Math.min(box.width / width, box.height / height);
  const columns = Math.max(1, Math.round(width * fit));
  const rows = Math.max(1, Math.round(height * fit));

  const draw = useCallback(() => {
    const canvas = canvasRef.current;
    const context = canvas?.getContext("2d", { alpha: false });
    if (!canvas || !context || source === null) return;
    const exact = source.get(frame);
    const picture = exact ?? source.nearest(frame);
    if (picture === null) return;
    context.imageSmoothingQuality = "high";
    picture.draw(context, 0, 0, canvas.width, canvas.height);
    canvas.dataset.frame = String(picture.frame);
    canvas.dataset.exact = String(exact !== null);
    setDrawn((before) =>
      before?.frame === picture.frame && before.exact === (exact !== null)
        ? before
        : { frame: picture.frame, exact: exact !== null },
    );
  }, [source, frame]);

  useEffect(() => source?.subscribe(draw), [source, draw]);

  useLayoutEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null || box.width === 0) return;
    if (canvas.width !== columns || canvas.height !== rows) {
      canvas.width = columns;
      canvas.height = rows;
    }
    source?.want(frame, direction);
    draw();
  }, [source, frame, direction, box.width, columns, rows, draw]);

  const name = formatFrame(frame, time_secs);
  const style = { width: columns / box.ratio, height: rows / box.ratio };
  return (
    <div ref={boxRef} className={classes.box}>
      <div className={classes.picture} style={style}>
        <canvas
          ref={canvasRef}
          className={classes.canvas}
          role="img"
          aria-label={`Picture of ${name}`}
          data-testid="frame-canvas"
          data-wanted={frame}
        />
        {children !== undefined && (
          <svg className={classes.overlay} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            {children(width / Math.max(1, style.width))}
          </svg>
        )}
        <Pending wanted={frame} drawn={drawn} />
      </div>
    </div>
  );
}

/** Says that another picture stands in, but not for the blink of an eye that decoding usually takes. */
function Pending({ wanted, drawn }: { wanted: number; drawn: Drawn | null }) {
  if (drawn?.exact && drawn.frame === wanted) return null;
  return (
    <div className={classes.pending} key={wanted}>
      {drawn === null ? `decoding frame ${wanted}` : `frame ${drawn.frame} stands in for ${wanted}`}
    </div>
  );
}

type DevicePixels = { width: number; height: number; ratio: number };

/** The size of an element's content in the screen's own pixels. */
function useDevicePixels(ref: { current: HTMLElement | null }): DevicePixels {
  const [size, setSize] = useState<DevicePixels>({ width: 0, height: 0, ratio: 1 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const ratio = window.devicePixelRatio;
      const pixels = entry?.devicePixelContentBoxSize?.[0];
      const content = entry?.contentBoxSize[0];
      setSize({
        width: pixels?.inlineSize ?? Math.floor((content?.inlineSize ?? 0) * ratio),
        height: pixels?.blockSize ?? Math.floor((content?.blockSize ?? 0) * ratio),
        ratio,
      });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}
