/**
 * Measures of colours: WCAG contrast, and how far two colours look apart to eyes that lack one kind of cone.
 */

/** Eyes: ordinary, or without long-, middle- or short-wave cones. */
export type Vision = "normal" | "protan" | "deutan" | "tritan";

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** Machado, Oliveira and Fernandes 2009, severity 1, in linear RGB. */
const MACHADO: Record<Exclude<Vision, "normal">, Matrix> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Contrast of two colours after WCAG 2, in [1, 21]. */
export function getContrast(a: string, b: string): number {
  const [first, second] = [getLuminance(a), getLuminance(b)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** Distance of two colours in OKLab, times 100; about 2 is just noticeable side by side. */
export function getDistance(a: string, b: string, vision: Vision): number {
  const [first, second] = [toOklab(a, vision), toOklab(b, vision)];
  return 100 * Math.hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

function getLuminance(hex: string): number {
  const [r, g, b] = toLinear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function toLinear(hex: string): Triple {
  if (!/^#[0-9a-f]{6}$/.test(hex)) throw new RangeError(`${hex} is not #rrggbb`);
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function multiply(matrix: Matrix, [x, y, z]: Triple): Triple {
  const row = ([a, b, c]: Triple) => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

/** Björn Ottosson's OKLab. */
function toOklab(hex: string, vision: Vision): Triple {
  const linear = toLinear(hex);
  const seen = vision === "normal" ? linear : multiply(MACHADO[vision], linear);
  const [r, g, b] = seen.map((value) => Math.min(1, Math.max(0, value))) as [number, number, number];
  const lms: Matrix = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ];
  const [l, m, s] = multiply(lms, [r, g, b]).map(Math.cbrt) as [number, number, number];
  const lab: Matrix = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ];
  return multiply(lab, [l, m, s]);
}
