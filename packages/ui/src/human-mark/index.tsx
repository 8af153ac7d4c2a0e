import classes from "./human-mark.module.css";

/** What a person did to a frame. */
export type HumanVerdict = "confirmed" | "added" | "dropped" | "shifted";

/** Drawn in a square of 12. */
const SIGNS: Record<HumanVerdict, string> = {
  confirmed: "M3.4 6.3l1.8 1.8L8.7 4.2",
  added: "M6 3.3v5.4M3.3 6h5.4",
  dropped: "M3.3 6h5.4",
  shifted: "M3.2 6h5.4M6.6 3.8L8.8 6 6.6 8.2",
};

/** A person's verdict as a shape within an SVG: an amber square, round at its corners, with a tick, plus, minus or arrow. */
export function HumanSign({
  verdict,
  x,
  y,
  size = 12,
}: {
  verdict: HumanVerdict;
  x: number;
  y: number;
  size?: number;
}) {
  const scale = size / 12;
  return (
    <g
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale}) translate(-6 -6)`}
      data-human={verdict}
    >
      <rect className={classes.ground} x={0.5} y={0.5} width={11} height={11} rx={2.5} />
      <path className={classes.sign} d={SIGNS[verdict]} />
    </g>
  );
}

/** The same on its own, beside words that say it. */
export function HumanMark({ verdict, size = 12 }: { verdict: HumanVerdict; size?: number }) {
  return (
    <svg className={classes.mark} viewBox="0 0 12 12" width={size} height={size} aria-hidden="true">
      <HumanSign verdict={verdict} x={6} y={6} />
    </svg>
  );
}
