import { makeProjection } from "./axis.ts";
import type { Scene } from "./scene.ts";
import type { CurveBand, CurveColor, CurveMark } from "./types.ts";

/** Room around the plot, in CSS pixels; the same in every chart, so that charts above each other line up. */
export const MARGIN = { left: 46, right: 14, top: 16, bottom: 22 } as const;

export type Box = { left: number; top: number; width: number; height: number };

/** Where the lines are drawn within a chart of this size. */
export function getPlotBox(width: number, height: number): Box {
  return {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(20, width - MARGIN.left - MARGIN.right),
    height: Math.max(20, height - MARGIN.top - MARGIN.bottom),
  };
}

export type ShapeColor = CurveColor | "ink" | "line" | "line-strong" | "surface";

/** One path of the picture, in CSS pixels of the chart. */
export type Shape = {
  key: string;
  /** What it stands for, for tests and styles. */
  role: string;
  /** SVG path data. */
  d: string;
  fill?: ShapeColor;
  fillOpacity?: number;
  stroke?: ShapeColor;
  strokeWidth?: number;
  strokeOpacity?: number;
  dash?: string;
  /** Cut off at the plot's edge. */
  clip: boolean;
};

const DASH = { solid: undefined, dashed: "6 2.5", dotted: "1 3" } as const;
/** Marks of one kind that are nearer than this are one mark. */
const MARK_SPACING_PX = 7;

/** Turns a scene into paths. Pure, and the same for both engines. */
export function getShapes(
  scene: Scene,
  box: Box,
  extras: {
    bands: readonly CurveBand[];
    marks: readonly CurveMark[];
    selected: number | null;
    faded: string | null;
  },
): Shape[] {
  const px = makeProjection(scene.x_axis, box.left, box.left + box.width);
  const py = makeProjection(scene.y_axis, box.top + box.height, box.top);
  const bottom = box.top + box.height;
  const right = box.left + box.width;
  const isFaded = (series_id: string) => extras.faded !== null && extras.faded !== series_id;
  const shapes: Shape[] = [];

  extras.bands.forEach((band, index) => {
    const from = Math.max(box.left, px(band.from));
    const to = Math.min(right, band.to === null ? right : px(band.to));
    if (to <= from) return;
    if (index % 2 === 1)
      shapes.push({
        key: `band-${band.id}`,
        role: "band",
        d: `M${round(from)} ${box.top}H${round(to)}V${bottom}H${round(from)}Z`,
        fill: "ink",
        fillOpacity: 0.035,
        clip: true,
      });
    if (index > 0 && px(band.from) > box.left)
      shapes.push({
        key: `boundary-${band.id}`,
        role: "boundary",
        d: `M${round(from)} ${box.top}V${bottom}`,
        stroke: "line-strong",
        strokeWidth: 1,
        dash: "3 3",
        clip: true,
      });
  });

  scene.areas.forEach((area, k) => {
    const top = area.x.map((x, index) => point(px(x), py(area.high[index] as number)));
    const under = area.x.map((x, index) => point(px(x), py(area.low[index] as number))).reverse();
    const alone = area.x.length === 1 ? widenLone(px(area.x[0] as number)) : null;
    shapes.push({
      key: `${area.role}-${area.series_id}-${k}`,
      role: area.role,
      d: alone
        ? `M${alone[0]} ${round(py(area.high[0] as number))}H${alone[1]}V${round(py(area.low[0] as number))}H${alone[0]}Z`
        : `M${top.join("L")}L${under.join("L")}Z`,
      fill: area.color,
      fillOpacity: (area.role === "stack" ? 0.5 : 0.16) * (isFaded(area.series_id) ? 0.3 : 1),
      clip: true,
    });
  });

  scene.lines.forEach((line, k) => {
    const fade = isFaded(line.series_id) ? 0.25 : 1;
    const isBack = line.role === "rolled_back";
    const dash = isBack ? "2 3" : line.role === "sampled" ? DASH.dashed : DASH[line.dash];
    shapes.push({
      key: `${line.role}-${line.series_id}-${k}`,
      role: line.role,
      d: `M${line.x.map((x, index) => point(px(x), py(line.y[index] as number))).join("L")}`,
      stroke: isBack ? "unknown" : line.color,
      strokeWidth: line.role === "value" || line.role === "sampled" ? 1.6 : line.role === "edge" ? 1 : 1.1,
      strokeOpacity: (line.role === "raw" ? 0.3 : line.role === "quiet" ? 0.28 : isBack ? 0.75 : 1) * fade,
      ...(dash === undefined ? {} : { dash }),
      clip: true,
    });
  });

  scene.dots.forEach((dot, k) => {
    shapes.push({
      key: `dot-${dot.series_id}-${k}`,
      role: dot.hollow ? "dot-sampled" : "dot",
      d: circle(px(dot.x), py(dot.y), dot.hollow ? 2.4 : 2.6),
      ...(dot.hollow
        ? { fill: "surface" as const, stroke: dot.color, strokeWidth: 1.3 }
        : { fill: dot.color }),
      strokeOpacity: isFaded(dot.series_id) ? 0.25 : 1,
      clip: true,
    });
  });

  scene.non_finite.forEach((mark, k) => {
    const x = round(px(mark.x));
    if (x < box.left || x > right) return;
    const up = box.top + 1;
    const down = bottom - 1;
    const d =
      mark.kind === "nan"
        ? `M${x - 3.5} ${down - 8}L${x + 3.5} ${down - 1}M${x + 3.5} ${down - 8}L${x - 3.5} ${down - 1}`
        : mark.kind === "inf"
          ? `M${x} ${up}L${x + 4} ${up + 7}H${x - 4}Z`
          : `M${x} ${down}L${x + 4} ${down - 7}H${x - 4}Z`;
    shapes.push({
      key: `${mark.kind}-${mark.series_id}-${k}`,
      role: mark.kind,
      d,
      ...(mark.kind === "nan" ? { stroke: mark.color, strokeWidth: 1.8 } : { fill: mark.color }),
      clip: false,
    });
  });

  const lastOf = new Map<string, number>();
  for (const mark of extras.marks) {
    const x = round(px(mark.x));
    if (x < box.left - 0.5 || x > right + 0.5) continue;
    if (x - (lastOf.get(mark.kind) ?? Number.NEGATIVE_INFINITY) < MARK_SPACING_PX) continue;
    lastOf.set(mark.kind, x);
    shapes.push(...getMarkShapes(mark, x, box));
  }

  if (extras.selected !== null) {
    const x = round(px(extras.selected));
    if (x >= box.left && x <= right)
      shapes.push({
        key: "selected",
        role: "selected",
        d: `M${x} ${box.top}V${bottom}`,
        stroke: "accent",
        strokeWidth: 1.5,
        clip: false,
      });
  }
  return shapes;
}

/** A glyph on the plot's upper edge, a shape for each kind, and a hair down to the axis where it broke the run. */
function getMarkShapes(mark: CurveMark, x: number, box: Box): Shape[] {
  const y = box.top - 6;
  const isTrouble = mark.kind === "warning" || mark.kind === "error" || mark.kind === "alert";
  const color: ShapeColor = isTrouble ? "wrong" : "ink-3";
  const glyph: Record<CurveMark["kind"], string> = {
    checkpoint: `M${x - 2.5} ${y - 2.5}H${x + 2.5}V${y + 2.5}H${x - 2.5}Z`,
    evaluation: `M${x} ${y - 3.5}L${x + 3.5} ${y}L${x} ${y + 3.5}L${x - 3.5} ${y}Z`,
    restart: circle(x, y, 3.2),
    warning: `M${x} ${y - 4}L${x + 4} ${y + 3}H${x - 4}Z`,
    error: `M${x} ${y - 4}L${x + 4} ${y + 3}H${x - 4}Z`,
    alert: `M${x} ${y + 4}L${x + 4} ${y - 3}H${x - 4}Z`,
  };
  const isHollow = ["restart", "warning", "evaluation", "alert"].includes(mark.kind);
  const shapes: Shape[] = [
    {
      key: `mark-${mark.id}`,
      role: `mark-${mark.kind}`,
      d: glyph[mark.kind],
      ...(isHollow ? { fill: "surface" as const, stroke: color, strokeWidth: 1.2 } : { fill: color }),
      clip: false,
    },
  ];
  if (mark.kind === "restart" || isTrouble)
    shapes.unshift({
      key: `hair-${mark.id}`,
      role: "hair",
      d: `M${x} ${box.top}V${box.top + box.height}`,
      stroke: color,
      strokeWidth: 1,
      strokeOpacity: 0.45,
      dash: "1 3",
      clip: true,
    });
  return shapes;
}

function circle(x: number, y: number, radius: number): string {
  const [cx, cy] = [round(x), round(y)];
  return `M${cx - radius} ${cy}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
}

function widenLone(x: number): [number, number] {
  return [round(x - 2), round(x + 2)];
}

function point(x: number, y: number): string {
  return `${round(x)} ${round(y)}`;
}

/** To a tenth of a pixel. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
