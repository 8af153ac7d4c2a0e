import { Button, NumberInput } from "@mantine/core";
import type { QuestionSet, SplitName } from "@sightline/core/benchmarks";
import { formatCount } from "@sightline/core/format";
import { useState } from "react";
import { splitSet } from "./commands.ts";
import classes from "./panel.module.css";
import bars from "./split-panel.module.css";

const SIDES: readonly SplitName[] = ["train", "val", "test"];

/** Splits a set by scene, and shows how many questions of each task lie on each side. */
export function SplitPanel({ set }: { set: QuestionSet }) {
  const [seed, setSeed] = useState(set.split?.seed ?? 1);
  const [train, setTrain] = useState(Math.round((set.split?.train ?? 0.75) * 100));
  const [val, setVal] = useState(Math.round((set.split?.val ?? 0.05) * 100));
  const test = 100 - train - val;
  return (
    <>
      <p className={classes.lead}>
        All questions of a scene stay on one side. The same seed and shares give the same split.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (test >= 0) void splitSet(set.set_id, { seed, train: train / 100, val: val / 100 });
        }}
      >
        <div className={classes.fields}>
          <NumberInput
            size="xs"
            label="Train, %"
            min={0}
            max={100}
            value={train}
            onChange={(n) => setTrain(Number(n))}
          />
          <NumberInput
            size="xs"
            label="Val, %"
            min={0}
            max={100}
            value={val}
            onChange={(n) => setVal(Number(n))}
          />
          <NumberInput size="xs" label="Test, %" value={test} readOnly error={test < 0} />
          <NumberInput
            size="xs"
            label="Seed"
            min={0}
            max={2 ** 31}
            allowDecimal={false}
            value={seed}
            onChange={(n) => setSeed(Number(n))}
          />
        </div>
        {test < 0 && (
          <p className={classes.fault} role="alert">
            Train and val add up to more than 100 %.
          </p>
        )}
        <Button type="submit" size="xs" mt="sm" disabled={test < 0 || set.questions === 0}>
          {set.split === null ? "Split" : "Split anew"}
        </Button>
      </form>
      {set.split !== null && (
        <>
          <SplitBars tasks={set.tasks} />
          <p className={classes.hash} title="SHA-256 of seed, shares and every question's side">
            {set.split.hash}
          </p>
        </>
      )}
    </>
  );
}

function SplitBars({ tasks }: { tasks: QuestionSet["tasks"] }) {
  const most = Math.max(1, ...tasks.map(({ questions }) => questions));
  return (
    <table className={bars.table} aria-label="Split, questions per task">
      <thead>
        <tr>
          <th scope="col">Task</th>
          {SIDES.map((side) => (
            <th key={side} scope="col" className={bars.number}>
              <span className={bars.key} data-side={side} aria-hidden />
              {side}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tasks.map(({ task, questions, sides }) => (
          <tr key={task}>
            <th scope="row">
              <span className={bars.task}>{task}</span>
              <span className={bars.bar} style={{ width: `${(100 * questions) / most}%` }} aria-hidden>
                {SIDES.map((side) => (
                  <span key={side} data-side={side} style={{ flexGrow: sides[side] }} />
                ))}
              </span>
            </th>
            {SIDES.map((side) => (
              <td key={side} className={bars.number}>
                {formatCount(sides[side])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
