import { wrap } from "./wrap.ts";

/** Half-open range of UTF-16 offsets. */
type Span = readonly [from: number, to: number];

/** One wrong or right answer with everything that led to it. */
export type Case = {
  title: string;
  /** Who reasoned, over whose triples. */
  about: string;
  /** Key-frames in order. */
  frames: {
    index: number;
    /** Ordinal in the clip. */
    frame: number;
    time_secs: number;
    /** A data URL, so that the picture is whole in itself. */
    image: string;
    is_cited: boolean;
    is_struck: boolean;
  }[];
  /** Width divided by height of the pictures. */
  aspect: number;
  question: string;
  options: readonly string[];
  gold: string | null;
  answered: string | null;
  judged: string | null;
  /** Null where nobody judged. */
  is_consistent: boolean | null;
  /** What was told, a line a key-frame. */
  told: { text: string; is_struck: boolean }[];
  chain: string;
  think: Span | null;
  answer: Span | null;
  /** Where the chain names key-frames. */
  citations: readonly Span[];
};

const WIDTH = 1180;
const MARGIN = 24;
const GAP = 8;
const A_ROW = 8;
const COLUMN = (WIDTH - 2 * MARGIN - 24) / 2;
const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const INK = "#1b1e24";
const INK_2 = "#4d545e";
const INK_3 = "#626973";
const LINE = "#e2e5e9";
const ACCENT = "#4350c6";
const GOOD = "#067158";
const WRONG = "#b03c00";
const CONSISTENT = "#8a3a81";

/** Characters that XML has no way to hold: controls and halves of surrogate pairs. */
function isForbidden(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 32) return code !== 9 && code !== 10 && code !== 13;
  return (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff;
}

const toXml = (text: string) =>
  [...text]
    .map((character) => (isForbidden(character) ? "\ufffd" : character))
    .join("")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");

type Style = { size?: number; fill?: string; weight?: number; strike?: boolean; underline?: boolean };

const toAttributes = ({ size = 13, fill = INK_2, weight = 400, strike = false, underline = false }: Style) =>
  `font-size="${size}" fill="${fill}" font-weight="${weight}"${strike ? ' text-decoration="line-through"' : ""}${underline ? ' text-decoration="underline"' : ""}`;

const write = (x: number, y: number, text: string, style: Style = {}) =>
  `<text x="${x}" y="${y}" ${toAttributes(style)} xml:space="preserve">${toXml(text)}</text>`;

/** A text over several lines; `styleAt` says how a stretch looks. */
function writeLines(
  x: number,
  y: number,
  width: number,
  text: string,
  style: Style,
  stretches: readonly { span: Span; style: Style }[] = [],
): { svg: string; bottom: number } {
  const size = style.size ?? 13;
  const step = Math.round(size * 1.5);
  const lines = wrap(text, width, size);
  const svg = lines.map(({ from, to }, index) => {
    const borders = [
      ...new Set([from, to, ...stretches.flatMap(({ span }) => span).filter((at) => at > from && at < to)]),
    ].sort((a, b) => a - b);
    const pieces = borders.slice(0, -1).map((start, at) => {
      const end = borders[at + 1] ?? to;
      const own = stretches.findLast(({ span }) => span[0] <= start && end <= span[1])?.style;
      const piece = toXml(text.slice(start, end));
      return own ? `<tspan ${toAttributes({ ...style, ...own })}>${piece}</tspan>` : piece;
    });
    return `<text x="${x}" y="${y + index * step}" ${toAttributes(style)} xml:space="preserve">${pieces.join("")}</text>`;
  });
  return { svg: svg.join("\n"), bottom: y + lines.length * step };
}

function drawStrip({ frames, aspect }: Case, top: number): { svg: string; bottom: number } {
  const width = (WIDTH - 2 * MARGIN - (A_ROW - 1) * GAP) / A_ROW;
  const height = width / aspect;
  const row = height + 24;
  const svg = frames.map(({ index, frame, time_secs, image, is_cited, is_struck }, at) => {
    const x = MARGIN + (at % A_ROW) * (width + GAP);
    const y = top + Math.floor(at / A_ROW) * row;
    const box = `x="${x}" y="${y}" width="${width}" height="${height}"`;
    return [
      `<g data-frame="${frame}" data-cited="${is_cited}">`,
      `<image ${box} preserveAspectRatio="xMidYMid slice" href="${toXml(image)}"${is_struck ? ' opacity="0.3"' : ""}/>`,
      `<rect ${box} fill="none" stroke="${is_cited ? ACCENT : LINE}" stroke-width="${is_cited ? 3 : 1}"/>`,
      write(x, y + height + 14, `${index}${is_cited ? " · cited" : ""}${is_struck ? " · struck out" : ""}`, {
        size: 11,
        fill: is_cited ? ACCENT : INK_3,
        weight: is_cited ? 600 : 400,
      }),
      `<title>Frame ${frame}, ${time_secs.toFixed(2)} s</title>`,
      "</g>",
    ].join("");
  });
  return { svg: svg.join("\n"), bottom: top + Math.ceil(frames.length / A_ROW) * row };
}

function drawOptions(one: Case, top: number): { svg: string; bottom: number } {
  let y = top;
  const svg = one.options.map((option, index) => {
    const letter = "ABCDEFGHIJ".charAt(index);
    const marks = [
      ...(letter === one.gold ? ["right answer"] : []),
      ...(letter === one.answered ? ["answered"] : []),
      ...(letter === one.judged ? ["judge"] : []),
    ];
    const fill = letter === one.gold ? GOOD : letter === one.answered ? WRONG : INK_2;
    const text = `${letter}. ${option}${marks.length > 0 ? `  (${marks.join(", ")})` : ""}`;
    const drawn = writeLines(MARGIN, y, WIDTH - 2 * MARGIN, text, {
      fill,
      weight: marks.length > 0 ? 600 : 400,
    });
    y = drawn.bottom;
    return drawn.svg;
  });
  return { svg: svg.join("\n"), bottom: y };
}

/**
 * The case as one SVG file that needs nothing else: strip of key-frames with the cited ones marked, question, what was
 * told, the chain, and the verdict.
 *
 * @see Embodied-R, figure 3
 */
export function drawCase(one: Case): string {
  const parts: string[] = [
    write(MARGIN, 34, one.title, { size: 17, fill: INK, weight: 600 }),
    write(MARGIN, 54, one.about, { size: 12, fill: INK_3 }),
  ];
  const strip = drawStrip(one, 70);
  parts.push(strip.svg);
  const question = writeLines(MARGIN, strip.bottom + 20, WIDTH - 2 * MARGIN, one.question, {
    size: 14,
    fill: INK,
    weight: 600,
  });
  parts.push(question.svg);
  const options = drawOptions(one, question.bottom + 2);
  parts.push(options.svg);

  const top = options.bottom + 16;
  const right = MARGIN + COLUMN + 24;
  parts.push(
    write(MARGIN, top, "What was told", { size: 12, fill: INK_3, weight: 600 }),
    write(right, top, "Reasoning", { size: 12, fill: INK_3, weight: 600 }),
  );
  let left_bottom = top + 22;
  for (const { text, is_struck } of one.told) {
    const drawn = writeLines(MARGIN, left_bottom, COLUMN, text, {
      size: 12,
      fill: is_struck ? INK_3 : INK_2,
      strike: is_struck,
    });
    parts.push(drawn.svg);
    left_bottom = drawn.bottom + 3;
  }
  const chain = writeLines(
    right,
    top + 22,
    COLUMN,
    one.chain === "" ? "Nothing was written." : one.chain,
    { size: 12, fill: INK_3 },
    [
      ...(one.think ? [{ span: one.think, style: { fill: INK_2 } }] : []),
      ...(one.answer ? [{ span: one.answer, style: { fill: INK, weight: 700 } }] : []),
      ...one.citations.map((span) => ({ span, style: { fill: ACCENT, weight: 600, underline: true } })),
    ],
  );
  parts.push(chain.svg);

  const y = Math.max(left_bottom, chain.bottom) + 22;
  const is_right = one.gold === null ? null : one.answered === one.gold;
  const verdict = [
    {
      text: `answered ${one.answered ?? "nothing"}`,
      fill: is_right === null ? INK : is_right ? GOOD : WRONG,
    },
    {
      text: one.gold === null ? "right answer not known" : `right answer ${one.gold} ${is_right ? "✓" : "✗"}`,
      fill: INK_2,
    },
    ...(one.is_consistent === null
      ? []
      : [
          {
            text: `judge ${one.judged ?? "none"} · consistent ${one.is_consistent ? "✓" : "✗"}`,
            fill: one.is_consistent ? CONSISTENT : WRONG,
          },
        ]),
  ];
  parts.push(`<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${y - 20}" y2="${y - 20}" stroke="${LINE}"/>`);
  parts.push(
    `<text x="${MARGIN}" y="${y + 2}" font-size="14" font-weight="600" xml:space="preserve" data-part="verdict">${verdict
      .map(({ text, fill }) => `<tspan fill="${fill}">${toXml(text)}</tspan>`)
      .join(`<tspan fill="${INK_3}">   ·   </tspan>`)}</text>`,
  );
  const height = Math.ceil(y + 24);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
