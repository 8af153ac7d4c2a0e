import type { ClipMatch } from "@sightline/core/benchmarks";
import { formatCount } from "@sightline/core/format";
import classes from "./match-bar.module.css";

/** How questions stand to the library's clips, in the order in which it is shown. */
export const MATCHES: Record<ClipMatch, { label: string; meaning: string }> = {
  matched: { label: "matched", meaning: "Their clip is in the library." },
  ambiguous: { label: "to choose", meaning: "Several clips of the library have the name: choose one." },
  unmatched: {
    label: "no clip",
    meaning: "No clip of the library has the name; one that is added will match.",
  },
  none: { label: "no name", meaning: "They name no clip." },
};

/** How a set's questions stand to the library, as a bar and in words. */
export function MatchBar({ matches }: { matches: Record<ClipMatch, number> }) {
  const parts = (Object.keys(MATCHES) as ClipMatch[]).filter((match) => matches[match] > 0);
  if (parts.length === 0) return <span className={classes.words}>–</span>;
  return (
    <span className={classes.root}>
      <span className={classes.bar} aria-hidden>
        {parts.map((match) => (
          <span key={match} data-match={match} style={{ flexGrow: matches[match] }} />
        ))}
      </span>
      <span className={classes.words}>
        {parts.map((match) => `${formatCount(matches[match])} ${MATCHES[match].label}`).join(" · ")}
      </span>
    </span>
  );
}
