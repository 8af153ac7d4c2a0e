import type { StageSpec } from "@sightline/core/runs";
import { differingStretches, diffSchedules, formatRatio, totalEpochs } from "@sightline/core/schedules";
import { Areas } from "./areas.tsx";
import classes from "./schedule-editor.module.css";

/** Two schedules over one axis, where they weigh differently, and a list of all in which they differ. */
export function ScheduleDiff({
  mine,
  theirs,
  mine_name,
  theirs_name,
}: {
  mine: readonly StageSpec[];
  theirs: readonly StageSpec[];
  mine_name: string;
  theirs_name: string;
}) {
  const end = Math.max(totalEpochs(mine), totalEpochs(theirs), 1e-9);
  const stretches = differingStretches(mine, theirs);
  const differences = diffSchedules(mine, theirs);
  return (
    <div className={classes.diff}>
      <Picture stages={mine} end={end} name={mine_name} />
      <div className={classes.differing} aria-hidden="true">
        {stretches.map(({ from_epoch, to_epoch }) => (
          <span
            key={from_epoch}
            style={{
              left: `${(from_epoch / end) * 100}%`,
              width: `${((to_epoch - from_epoch) / end) * 100}%`,
            }}
          />
        ))}
      </div>
      <Picture stages={theirs} end={end} name={theirs_name} />
      {differences.length === 0 ? (
        <p className={classes.quiet} role="status">
          They are the same.
        </p>
      ) : (
        <table className={classes.differences} aria-label={`Differences from ${theirs_name}`}>
          <thead>
            <tr>
              <th>Stage</th>
              <th>Differs in</th>
              <th>{mine_name}</th>
              <th>{theirs_name}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ stage, what, mine: left, theirs: right }) => (
              <tr key={`${stage} ${what}`}>
                <td>{stage}</td>
                <td>{what}</td>
                <td>{left}</td>
                <td>{right}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Picture({ stages, end, name }: { stages: readonly StageSpec[]; end: number; name: string }) {
  const words = stages
    .map(({ name: stage, weights, from_epoch, to_epoch }) => {
      return `${stage} ${formatRatio(weights)}, epochs ${from_epoch} to ${to_epoch}`;
    })
    .join("; ");
  return (
    <figure className={classes.still}>
      <figcaption>
        {name} <span className={classes.quiet}>{Number(totalEpochs(stages).toFixed(2))} epochs</span>
      </figcaption>
      <div className={classes.picture} role="img" aria-label={`${name}: ${words}`}>
        {stages.map((stage, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place
            key={index}
            className={classes.stillStage}
            style={{
              left: `${(stage.from_epoch / end) * 100}%`,
              width: `${((stage.to_epoch - stage.from_epoch) / end) * 100}%`,
            }}
          >
            <Areas stage={stage} />
            <span className={classes.caption}>
              <span className={classes.captionName}>{stage.name}</span>{" "}
              <span className={classes.captionRatio}>{formatRatio(stage.weights)}</span>
            </span>
          </div>
        ))}
      </div>
    </figure>
  );
}
