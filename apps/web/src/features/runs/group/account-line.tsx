import { formatNumberOf } from "@sightline/core/format";
import type { GroupAccount } from "@sightline/core/rewards";
import { tidy } from "../../../app/trace/index.tsx";
import classes from "./group-page.module.css";

const SCALES: Record<GroupAccount["scale"], string> = {
  group: "the group's deviation",
  batch: "the deviation of all completions of the step",
  none: "",
};

/** Completions whose difference is told in words; a run that scales otherwise differs in all. */
const MOST_TOLD = 3;

/** How the advantages of a group came about, in a line, and whether the run wrote the same. */
export function AccountLine({ account }: { account: GroupAccount }) {
  const { n, mean, sd, scale, divisor, is_tied, completions } = account;
  if (mean === null)
    return (
      <p className={classes.account}>
        No reward parts were written of these completions, so there is nothing to work out.
      </p>
    );
  const off = completions.filter(({ reward, advantage }) => !reward.agrees || !advantage.agrees);
  return (
    <section className={classes.account} aria-label="How the advantages came about">
      <p>
        <span>
          mean <b>{tidy(mean)}</b>
        </span>
        <span title="Sample standard deviation: N − 1">
          deviation <b>{sd === null ? "–" : tidy(sd)}</b>
        </span>
        <span>{formatNumberOf(n, "completion")}</span>
        <span className={classes.formula}>
          {scale === "none"
            ? `advantage = reward − ${tidy(mean)}; this run does not scale`
            : `advantage = (reward − ${tidy(mean)}) / (${tidy(divisor - 0.0001)} + 0.0001), by ${SCALES[scale]}`}
        </span>
        {off.length === 0 && <span className={classes.same}>✓ the run wrote the same numbers</span>}
      </p>
      {is_tied && (
        <p className={classes.tied}>
          All rewards are equal: every advantage is 0, so nothing is learned from this group.
        </p>
      )}
      {off.slice(0, MOST_TOLD).map(({ k, reward, advantage }) => (
        <p key={k} className={classes.off} role="alert">
          Completion {k + 1}:{" "}
          {!reward.agrees &&
            `the run wrote a reward of ${tidy(reward.emitted)}, its parts and weights make ${tidy(reward.computed)}. `}
          {!advantage.agrees &&
            `The run wrote an advantage of ${tidy(advantage.emitted)}, worked out it is ${tidy(advantage.computed)}.`}
        </p>
      ))}
      {off.length > MOST_TOLD && (
        <p className={classes.off}>
          {formatNumberOf(off.length - MOST_TOLD, "more completion")} of this group{" "}
          {off.length - MOST_TOLD === 1 ? "differs" : "differ"} as well; each says so where it is looked into.
        </p>
      )}
    </section>
  );
}
