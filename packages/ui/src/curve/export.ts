import { formatTick } from "./axis.ts";
import { getCssColor } from "./colors.ts";
import type { PlotProps } from "./engine.ts";
import { MARGIN, type ShapeColor } from "./picture.ts";
import { listNamed } from "./read.ts";
import { type CurveSeries, POINT } from "./types.ts";

/** A cell of CSV; quoted where it must be. */
function toCell(value: string | number): string {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const orEmpty = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? "" : value);

/** All points of a chart, a line each: every value as it was logged, none left out, its interval, N and state. */
export function toCsv(series: readonly CurveSeries[], x_label: string): string {
  const lines = [["series", x_label, "value", "low", "high", "n", "state"].join(",")];
  for (const { label, x, values, low, high, n, flags } of series)
    for (let k = 0; k < x.length; k += 1) {
      const flag = flags?.[k] ?? 0;
      const state =
        flag & POINT.rolled_back
          ? "rolled back"
          : flag & POINT.missing
            ? "missing"
            : flag & POINT.sampled
              ? "sampled"
              : "";
      const value = flag & POINT.missing ? "" : (values[k] as number);
      lines.push(
        [label, x[k] as number, value, orEmpty(low?.[k]), orEmpty(high?.[k]), orEmpty(n?.[k]), state]
          .map(toCell)
          .join(","),
      );
    }
  return `${lines.join("\n")}\n`;
}

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Colours as they are seen on an element, for a picture that leaves the page. */
function readColors(element: Element): (color: ShapeColor | "ink-2" | "line") => string {
  return (color) => {
    const probe = document.createElement("span");
    probe.style.color = getCssColor(color as ShapeColor);
    element.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };
}

const TITLE = 26;
const LEGEND_LINE = 16;

/**
 * The chart as a picture of its own: title, legend, axes and the same shapes as on the page, in its colours.
 *
 * @param element  An element of the page, for its colours and its font.
 */
export function toSvg(
  { width, height, box, shapes, x_axis, y_axis, formatX, formatY }: PlotProps,
  about: { title: string; x_label: string; series: readonly CurveSeries[] },
  element: Element,
): string {
  const color = readColors(element);
  const named = listNamed(about.series);
  const perLine = Math.max(1, Math.floor((width - 20) / 150));
  const head = TITLE + Math.ceil(named.length / perLine) * LEGEND_LINE;
  const total = height + head + 14;
  const x = (value: number) => box.left + ((value - x_axis.from) / (x_axis.to - x_axis.from)) * box.width;
  const isLog = y_axis.scale === "log";
  const share = (value: number) =>
    isLog
      ? Math.log(value / y_axis.from) / Math.log(y_axis.to / y_axis.from)
      : (value - y_axis.from) / (y_axis.to - y_axis.from);
  const y = (value: number) => box.top + box.height * (1 - share(value));
  const bottom = box.top + box.height;
  const parts: string[] = [];
  for (const tick of y_axis.ticks)
    parts.push(
      `<path d="M${box.left} ${y(tick)}H${box.left + box.width}" stroke="${color("line")}"/>`,
      `<text x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${escapeXml(formatY?.(tick, y_axis) ?? formatTick(tick, y_axis))}</text>`,
    );
  for (const tick of x_axis.ticks)
    parts.push(
      `<text x="${x(tick)}" y="${bottom + 15}" text-anchor="middle">${escapeXml(formatX?.(tick, x_axis) ?? formatTick(tick, x_axis))}</text>`,
    );
  parts.push(`<path d="M${box.left} ${bottom}H${box.left + box.width}" stroke="${color("line-strong")}"/>`);
  for (const shape of shapes) {
    const attributes = [
      `d="${shape.d}"`,
      `fill="${shape.fill === undefined ? "none" : color(shape.fill)}"`,
      shape.fillOpacity === undefined ? "" : `fill-opacity="${shape.fillOpacity}"`,
      shape.stroke === undefined
        ? ""
        : `stroke="${color(shape.stroke)}" stroke-width="${shape.strokeWidth ?? 1}"`,
      shape.strokeOpacity === undefined ? "" : `stroke-opacity="${shape.strokeOpacity}"`,
      shape.dash === undefined ? "" : `stroke-dasharray="${shape.dash}"`,
      shape.clip ? 'clip-path="url(#plot)"' : "",
    ];
    parts.push(
      `<path ${attributes.filter((one) => one !== "").join(" ")} stroke-linejoin="round" stroke-linecap="round"/>`,
    );
  }
  const legend = named.map((one, k) => {
    const left = 12 + (k % perLine) * 150;
    const top = TITLE + Math.floor(k / perLine) * LEGEND_LINE;
    return `<path d="M${left} ${top}h14" stroke="${color(one.color)}" stroke-width="2"/><text x="${left + 19}" y="${top + 4}">${escapeXml(one.label)}</text>`;
  });
  const font = escapeXml(getComputedStyle(element).fontFamily);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="${font}" font-size="11" fill="${color("ink-2")}">
<rect width="100%" height="100%" fill="${color("surface")}"/>
<text x="12" y="17" font-size="13" font-weight="600" fill="${color("ink")}">${escapeXml(about.title)}</text>
${legend.join("\n")}
<g transform="translate(0 ${head - 10})"><clipPath id="plot"><rect x="${box.left}" y="${box.top - 3}" width="${box.width + 3}" height="${box.height + 6}"/></clipPath>
${parts.join("\n")}
<text x="${box.left + box.width}" y="${bottom + 29}" text-anchor="end">${escapeXml(about.x_label)}</text></g>
</svg>
`;
}

/** An SVG as a PNG of twice its size. Rejects when the browser cannot draw it. */
export async function toPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Gives a file to the person, by the browser's own download. */
export function download(content: Blob | string, name: string, type: string): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
