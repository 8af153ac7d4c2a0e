import classes from "./group-grid.module.css";
import { type Completion, getVerdict, isWellFormed, VERDICT_WORDS, type Verdict } from "./verdict.ts";

/** The glyph of one completion: a shape for what became of it, a bar under it when its form failed. */
export function Glyph({ completion }: { completion: Completion }) {
  const verdict = getVerdict(completion);
  const isOff = isWellFormed(completion) === false;
  return (
    <svg className={classes.glyph} width="14" height="16" viewBox="0 0 14 16" role="img">
      <title>{`${VERDICT_WORDS[verdict]}${isOff ? "; form not rewarded" : ""}`}</title>
      <Shape verdict={verdict} />
      {isOff && <path d="M3 14.5H11" className={classes.off} />}
    </svg>
  );
}

function Shape({ verdict }: { verdict: Verdict }) {
  if (verdict === "wrong") return <path d="M3.5 3.5L10.5 10.5M10.5 3.5L3.5 10.5" className={classes.wrong} />;
  if (verdict === "unjudged") return <circle cx="7" cy="7" r="4.3" className={classes.ring} />;
  if (verdict === "consistent") return <circle cx="7" cy="7" r="5" className={classes.full} />;
  return (
    <>
      <circle cx="7" cy="7" r="4.3" className={classes.ring} />
      <path d="M7 2.7A4.3 4.3 0 0 0 7 11.3Z" className={classes.full} />
    </>
  );
}

/** What the glyphs mean, in a line. */
export function GlyphLegend() {
  const entries: [Verdict, string][] = [
    ["consistent", "right, consistent"],
    ["inconsistent", "right, inconsistent"],
    ["unjudged", "right, not judged"],
    ["wrong", "wrong"],
  ];
  return (
    <ul className={classes.legend}>
      {entries.map(([verdict, words]) => (
        <li key={verdict}>
          <svg className={classes.glyph} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <Shape verdict={verdict} />
          </svg>
          {words}
        </li>
      ))}
      <li>
        <svg className={classes.glyph} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M3 9H11" className={classes.off} />
        </svg>
        form not rewarded
      </li>
    </ul>
  );
}
