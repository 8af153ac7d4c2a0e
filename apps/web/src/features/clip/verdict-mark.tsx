import { HumanMark, type HumanVerdict } from "@sightline/ui/human-mark";
import classes from "./verdict-mark.module.css";

/**
 * The shape of a verdict, as on the plot: a full diamond was kept, a ring dropped, a cross could not be compared; a
 * person's verdict is a square with its sign.
 */
export function VerdictMark({
  kept,
  failed,
  verdict = null,
}: {
  kept: boolean;
  failed: boolean;
  /** What a person did; null when nobody did anything. */
  verdict?: HumanVerdict | null;
}) {
  if (verdict !== null) return <HumanMark verdict={verdict} size={13} />;
  return (
    <svg className={classes.mark} viewBox="0 0 12 12" width={12} height={12} aria-hidden="true">
      {kept ? (
        <path className={classes.kept} d="M6 1l5 5-5 5-5-5z" />
      ) : failed ? (
        <path className={classes.failed} d="M3 3l6 6m0-6l-6 6" />
      ) : (
        <circle className={classes.dropped} cx={6} cy={6} r={3.2} />
      )}
    </svg>
  );
}
