import { VisuallyHidden } from "@mantine/core";
import { formatCount, formatNumberOf } from "@sightline/core/format";
import { FLIPS, type Flip, type Pair, type ReplaySummary } from "@sightline/core/replay";
import { FLIP_WORDS, formatChange, formatPart } from "./describe.ts";
import classes from "./replay.module.css";

/** What a replay comes to, in numbers: before, after, and by how much. */
export function ReplayNumbers({ summary }: { summary: ReplaySummary }) {
  const { total, groups, held_out } = summary;
  const last = held_out.at(-1);
  const known = groups - total.unknown;
  const share = (n: number) => (known === 0 ? null : n / known);
  const rows: [string, Pair][] = [
    ["Reward, mean", total.reward],
    ["Accuracy", total.accuracy],
    ["Format", total.format],
    ["Consistency, where known", total.consistency],
    ["Advantage, mean size", total.advantage],
    ["Groups without a signal", { before: share(total.tied.before), after: share(total.tied.after) }],
    ...(last
      ? ([[`Held-out accuracy at step ${last.step}, n ${last.n}`, last.accuracy]] as [string, Pair][])
      : []),
  ];
  return (
    <table className={classes.numbers} aria-label="Before and after">
      <thead>
        <tr>
          <th scope="col">
            {formatNumberOf(summary.completions, "completion")} in {formatNumberOf(groups, "group")}
          </th>
          <th scope="col">before</th>
          <th scope="col">after</th>
          <th scope="col">change</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, { before, after }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{formatPart(before)}</td>
            <td>{formatPart(after)}</td>
            <td>{formatChange(before, after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the numbers can't say, in sentences: what is unknown, what differs although nothing was changed. */
export function ReplayRemarks({ summary }: { summary: ReplaySummary }) {
  const { mismatches, unknown, total, without_options, is_same, rewards_changed, width } = summary;
  const differing = mismatches.rewards + mismatches.advantages;
  return (
    <ul className={classes.remarks} aria-label="Remarks">
      {is_same && differing === 0 && (
        <li>
          Nothing was changed, and every reward and advantage comes out as the run emitted it (advantages up
          to the rounding of the trainer's float32).
        </li>
      )}
      {differing > 0 && (
        <li data-wrong>
          Nothing was changed, and yet {formatNumberOf(mismatches.rewards, "reward")} and{" "}
          {formatNumberOf(mismatches.advantages, "advantage")} are not what the run emitted. The first:
          <ul>
            {mismatches.first.slice(0, 8).map(({ completion_id, step, k, what, emitted, replayed }) => (
              <li key={`${completion_id} ${what}`}>
                step {step}, completion {k + 1}: {what} {emitted.toFixed(6)} emitted,{" "}
                {replayed?.toFixed(6) ?? "none"} here
              </li>
            ))}
          </ul>
        </li>
      )}
      {!is_same && <li>{formatNumberOf(rewards_changed, "reward")} changed.</li>}
      {total.unknown > 0 && (
        <li>
          In {formatNumberOf(total.unknown, "group")} a reward can’t be known, so rewards, advantages and
          groups without a signal are told of the others, before and after alike:{" "}
          {unknown.map(({ reason, n }) => `${reason} (${formatNumberOf(n, "completion")})`).join("; ")}.
        </li>
      )}
      {without_options > 0 && (
        <li>
          The options of {formatNumberOf(without_options, "answer")} in words are not at hand, so those are
          taken as the run read them.
        </li>
      )}
      {width > 1 && <li>Each point of the curves stands for {width} steps.</li>}
    </ul>
  );
}

/** Flips by kind and by task; each count filters the list below. */
export function FlipTable({
  summary,
  flip,
  task,
  onFilter,
}: {
  summary: ReplaySummary;
  flip: Flip | null;
  task: string | null;
  onFilter: (flip: Flip | null, task: string | null) => void;
}) {
  const kinds = FLIPS.filter((kind) => summary.flips[kind] > 0);
  if (kinds.length === 0)
    return <p className={classes.hint}>No verdict turned over, and no advantage changed its sign.</p>;
  const most = Math.max(
    1e-9,
    ...summary.tasks.flatMap((one) => kinds.map((kind) => one.flips[kind] / one.n)),
  );
  const rows = [
    {
      task: null as string | null,
      n: summary.tasks.reduce((sum, one) => sum + one.n, 0),
      flips: summary.flips,
    },
    ...(summary.tasks.length > 1 ? summary.tasks : []),
  ];
  return (
    <table className={classes.flips} aria-label="Flips by task">
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Completions</th>
          {kinds.map((kind) => (
            <th key={kind} scope="col">
              {FLIP_WORDS[kind]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.task ?? ""}>
            <th scope="row">{row.task?.replaceAll("_", " ") ?? "All"}</th>
            <td>{formatCount(row.n)}</td>
            {kinds.map((kind) => {
              const count = row.flips[kind];
              const isOn = flip === kind && task === row.task;
              return (
                <td key={kind}>
                  <button
                    type="button"
                    className={classes.count}
                    aria-pressed={isOn}
                    disabled={count === 0}
                    onClick={() => onFilter(isOn ? null : kind, isOn ? null : row.task)}
                  >
                    <VisuallyHidden>
                      {FLIP_WORDS[kind]}, {row.task?.replaceAll("_", " ") ?? "all tasks"}:
                    </VisuallyHidden>
                    <span
                      className={classes.bar}
                      data-kind={kind.split("_")[0]}
                      style={{ width: `${Math.max(count > 0 ? 2 : 0, (100 * count) / row.n / most)}%` }}
                    />
                    <span className={classes.figure}>
                      {formatCount(count)}
                      <small>{((100 * count) / Math.max(1, row.n)).toFixed(1)} %</small>
                    </span>
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
