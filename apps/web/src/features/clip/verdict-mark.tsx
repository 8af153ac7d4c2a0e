import classes from "./verdict-mark.module.css";

/** The shape of a verdict, as on the plot: a full diamond was kept, a ring dropped, a cross could not be compared. */
export function VerdictMark({ kept, failed }: { kept: boolean; failed: boolean }) {
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
