import classes from "./status.module.css";

/**
 * quiet: nothing to do; done: it has come to its end; busy: work goes on; waiting: work will go on; wrong: something needs a person;
 * part: it is there, but not all of it.
 */
export type Tone = "quiet" | "done" | "busy" | "waiting" | "part" | "wrong";

/** A state in a shape, a colour and a word; never in colour alone. */
export function Status({ tone, label, title }: { tone: Tone; label: string; title?: string }) {
  return (
    <span className={classes.status} data-tone={tone} title={title}>
      <StatusMark tone={tone} />
      {label}
    </span>
  );
}

/** The shape of a state alone: full disc, turning arc, hollow ring, half disc, or a cross. */
export function StatusMark({ tone }: { tone: Tone }) {
  return (
    <svg className={classes.mark} data-tone={tone} viewBox="0 0 12 12" width={12} height={12} aria-hidden>
      {tone === "quiet" && <circle cx={6} cy={6} r={3.5} fill="currentColor" />}
      {tone === "done" && (
        <path
          d="m2.5 6.5 2.5 2.5 4.5-5.5"
          fill="none"
          stroke="currentColor"
          strokeWidth={1.6}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {tone === "waiting" && (
        <circle cx={6} cy={6} r={3.75} fill="none" stroke="currentColor" strokeWidth={1.5} />
      )}
      {tone === "busy" && (
        <>
          <circle cx={6} cy={6} r={4} fill="none" stroke="currentColor" strokeWidth={1.5} opacity={0.25} />
          <path
            d="M6 2a4 4 0 0 1 4 4"
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
            strokeLinecap="round"
          />
        </>
      )}
      {tone === "part" && (
        <>
          <circle cx={6} cy={6} r={3.75} fill="none" stroke="currentColor" strokeWidth={1.5} />
          <path d="M6 2.25a3.75 3.75 0 0 1 0 7.5Z" fill="currentColor" />
        </>
      )}
      {tone === "wrong" && (
        <path
          d="m3 3 6 6m0-6L3 9"
          fill="none"
          stroke="currentColor"
          strokeWidth={1.75}
          strokeLinecap="round"
        />
      )}
    </svg>
  );
}
