import { Select } from "@mantine/core";
import { diffCards, type Evaluation, type EvaluationRow, tallyPairs } from "@sightline/core/evaluations";
import { formatNumberOf } from "@sightline/core/format";
import classes from "./card.module.css";
import { useEvaluation, useEvaluations } from "./use-evaluations.ts";

type Opened = Evaluation & { rows: EvaluationRow[] };

/** How an evaluation was asked, and another one held against it: numbers where the cards agree, else in what they differ. */
export function Card({
  evaluation,
  other_id,
  onOther,
}: {
  evaluation: Opened;
  other_id: string | null;
  onOther: (evaluation_id: string | null) => void;
}) {
  const all = useEvaluations();
  const others = (all.data ?? []).filter((one) => one.evaluation_id !== evaluation.evaluation_id);
  const other = useEvaluation(other_id);
  const { card } = evaluation;
  return (
    <section className={classes.card} aria-label="Settings card">
      <h3 className={classes.title}>
        Settings card {card !== null && <code className={classes.hash}>{card.hash.slice(0, 8)}</code>}
      </h3>
      {card === null ? (
        <p className={classes.hint}>The host says how it asks once it begins.</p>
      ) : (
        <dl className={classes.values}>
          {Object.entries(card.values).map(([name, value]) => (
            <div key={name}>
              <dt>{nameEntry(name)}</dt>
              <dd>{value === null || value === "" ? "–" : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {others.length > 0 && (
        <Select
          size="xs"
          className={classes.pick}
          label="Compare with"
          placeholder="Another evaluation"
          clearable
          searchable
          value={other_id}
          onChange={onOther}
          data={others.map(({ evaluation_id, name }) => ({ value: evaluation_id, label: name }))}
        />
      )}
      {other.isError && <p className={classes.problem}>{other.error.message}</p>}
      {other.data !== undefined && <Comparison one={evaluation} other={other.data} />}
    </section>
  );
}

function Comparison({ one, other }: { one: Opened; other: Opened }) {
  if (one.card === null || other.card === null)
    return <p className={classes.hint}>One of the two has not said yet how it asks.</p>;
  const differences = diffCards(one.card.values, other.card.values);
  const pairs = tallyPairs(one.rows, other.rows);
  return (
    <div role="status" className={classes.comparison}>
      {differences.length === 0 ? (
        <p>Both were asked under the same card.</p>
      ) : (
        <>
          <p>The cards differ, so a difference in accuracy may come from how they were asked:</p>
          <ul className={classes.differences}>
            {differences.map(({ name, one: here, other: there }) => (
              <li key={name}>
                {nameEntry(name)}: <b>{here}</b> here, <b>{there}</b> there
              </li>
            ))}
          </ul>
        </>
      )}
      {pairs.one === null || pairs.other === null ? (
        <p className={classes.hint}>They have no question in common.</p>
      ) : (
        <p>
          Over the {formatNumberOf(pairs.n, "question")} that both asked: <b>{pairs.one.toFixed(3)}</b> here,{" "}
          <b>{pairs.other.toFixed(3)}</b> there. {pairs.only_one} are right only here, {pairs.only_other} only
          there.
        </p>
      )}
    </div>
  );
}

const nameEntry = (name: string) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");
