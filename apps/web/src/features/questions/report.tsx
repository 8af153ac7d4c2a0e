import { Button } from "@mantine/core";
import type { QuestionSet, RowRemark } from "@sightline/core/benchmarks";
import { formatNumberOf } from "@sightline/core/format";
import { takeIn } from "./commands.ts";
import classes from "./panel.module.css";

const SHOWN = 200;

/** What the import said: rows read, rows set aside and why, remarks. */
export function Report({ set }: { set: QuestionSet }) {
  const { set_aside, remarks, bad_lines } = set.report;
  if (set.rows === null)
    return (
      <p className={classes.quiet}>
        {set.kind === "sample"
          ? "Sample questions come with the sample clips: generated worlds, so that every answer is known."
          : "These questions were written here, on clips of the library."}
      </p>
    );
  return (
    <>
      <p className={classes.lead}>
        {formatNumberOf(set.rows, "row")} read as {set.format}.{" "}
        {set_aside.length + bad_lines.length === 0 && "None was set aside."}
      </p>
      {bad_lines.length > 0 && (
        <>
          <h2 className={classes.heading}>{formatNumberOf(bad_lines.length, "line")} could not be read</h2>
          <ul className={classes.rows}>
            {bad_lines.slice(0, SHOWN).map(({ line, reason }) => (
              <li key={line}>
                <span className={classes.id}>line {line}</span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
          <Rest count={bad_lines.length} />
        </>
      )}
      {set_aside.length > 0 && (
        <>
          <h2 className={classes.heading}>{formatNumberOf(set_aside.length, "row")} set aside</h2>
          <ul className={classes.rows}>
            {set_aside.slice(0, SHOWN).map(({ row, id, reason, question, taken_in }) => (
              <li key={row}>
                <span className={classes.id} title={`row ${row}`}>
                  {id}
                </span>
                <span>
                  {reason}
                  {question && (
                    <>
                      <span className={classes.preview}>
                        {question.text}
                        {question.options.map((option, at) => (
                          <span key={option} className={classes.option}>
                            {"ABCDEFGH".charAt(at)}. {option}
                          </span>
                        ))}
                        {question.gold !== null && `Gold ${question.gold}`}
                      </span>
                      {taken_in ? (
                        <span className={classes.quiet}>taken in</span>
                      ) : (
                        <Button
                          size="compact-xs"
                          variant="light"
                          onClick={() => void takeIn(set.set_id, row)}
                          aria-label={`Take ${id} in`}
                        >
                          Take in
                        </Button>
                      )}
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          <Rest count={set_aside.length} />
        </>
      )}
      {remarks.length > 0 && <Remarks remarks={remarks} />}
    </>
  );
}

function Remarks({ remarks }: { remarks: readonly RowRemark[] }) {
  const reasons = new Map<string, RowRemark[]>();
  for (const remark of remarks) {
    const same = reasons.get(remark.reason);
    if (same) same.push(remark);
    else reasons.set(remark.reason, [remark]);
  }
  return (
    <>
      <h2 className={classes.heading}>{formatNumberOf(remarks.length, "remark")}</h2>
      <ul className={classes.rows}>
        {[...reasons].map(([reason, rows]) => (
          <li key={reason}>
            <span className={classes.id}>{rows.length}</span>
            <span>
              {reason}
              <span className={classes.preview}>
                {rows
                  .slice(0, 24)
                  .map(({ id }) => id)
                  .join(", ")}
                {rows.length > 24 && " …"}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Rest({ count }: { count: number }) {
  if (count <= SHOWN) return null;
  return <p className={classes.quiet}>and {count - SHOWN} more</p>;
}
