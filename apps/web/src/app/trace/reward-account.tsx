import type { CompletionAccount } from "@sightline/core/rewards";
import { formatSigned } from "@sightline/ui/group-grid";
import classes from "./trace-inspector.module.css";

/** The reward of one completion part by part, what each part brought to its advantage, and whether that was written. */
export function RewardAccount({ account }: { account: CompletionAccount }) {
  const { parts, reward, advantage } = account;
  return (
    <section className={classes.panel} aria-label="Reward">
      <h3 className={classes.title}>Reward</h3>
      {parts.length === 0 ? (
        <p className={classes.quiet}>No reward parts were written of this completion.</p>
      ) : (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Raw</th>
              <th scope="col">Weight</th>
              <th scope="col">Share</th>
              <th scope="col">To the advantage</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ part, raw, weight, share, pull }) => (
              <tr key={part}>
                <th scope="row" data-part={part}>
                  {part}
                </th>
                <td>{raw === null ? "not scored" : tidy(raw)}</td>
                <td>× {tidy(weight)}</td>
                <td>{tidy(share)}</td>
                <td>{formatSigned(Number(pull.toFixed(6)))}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">together</th>
              <td />
              <td />
              <td>{tidy(reward.computed)}</td>
              <td>{formatSigned(Number(advantage.computed.toFixed(6)))}</td>
            </tr>
          </tfoot>
        </table>
      )}
      {parts.length > 0 &&
        (reward.agrees && advantage.agrees ? (
          <p className={classes.quiet}>✓ The run wrote the same.</p>
        ) : (
          <>
            {!reward.agrees && (
              <p className={classes.off}>
                The run wrote a reward of {tidy(reward.emitted)}; its parts and weights make{" "}
                {tidy(reward.computed)}.
              </p>
            )}
            {!advantage.agrees && (
              <p className={classes.off}>
                The run wrote an advantage of {tidy(advantage.emitted)}; worked out it is{" "}
                {tidy(advantage.computed)}.
              </p>
            )}
          </>
        ))}
    </section>
  );
}

/** Four digits at most. */
export const tidy = (value: number) => String(Number(value.toFixed(4)));
