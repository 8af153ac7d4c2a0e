import { judgeText } from "@sightline/core/ask";
import type { Trace } from "@sightline/core/traces";
import { useMemo } from "react";
import { RULES } from "../../app/trace/index.tsx";
import classes from "./verdict-line.module.css";

const JUDGEMENTS: Record<string, string> = {
  no_think: "nothing to judge: no reasoning",
  timeout: "the judge said nothing in time",
  http_error: "the judge could not be asked",
  unparsed: "the judge gave no letter",
  no_judge: "no judge",
};

/** What came of a trace: the answer against the right one, the judge, and by which rule it was read. */
export function VerdictLine({ trace }: { trace: Pick<Trace, "text" | "question" | "judgement" | "state"> }) {
  const { question, judgement, text } = trace;
  const verdict = useMemo(() => judgeText(text, question, "sightline"), [text, question]);
  const released = useMemo(() => judgeText(text, question, "embodied-r"), [text, question]);
  const { letter, rule, reason, problems } = verdict.reading;
  const is_number = question.kind === "number";
  return (
    <div className={classes.verdict} data-testid="verdict">
      <p className={classes.main}>
        {!is_number && (
          <>
            answered <b>{letter ?? "nothing"}</b>
          </>
        )}
        {question.gold !== null && (
          <>
            {!is_number && " · "}right answer <b>{question.gold}</b>
          </>
        )}
        {verdict.accuracy !== null && (
          <span className={classes.mark} data-good={verdict.accuracy === 1}>
            {is_number ? verdict.accuracy.toFixed(2) : verdict.accuracy === 1 ? "✓ right" : "✗ wrong"}
          </span>
        )}
        {judgement !== null && (
          <>
            {" · "}
            {judgement.status === "ok" ? (
              <>
                judge <b>{judgement.letter}</b>
                <span className={classes.mark} data-kind="consistent" data-good={judgement.agrees}>
                  consistent {judgement.agrees ? "✓" : "✗"}
                </span>
              </>
            ) : (
              <span className={classes.faint}>{JUDGEMENTS[judgement.status]}</span>
            )}
          </>
        )}
      </p>
      <p className={classes.faint}>
        {letter === null
          ? `Not read: ${reason}.`
          : `Read by ${RULES[rule] ?? rule}${verdict.reading.answer ? " in the answer block" : ""}.`}{" "}
        {problems.length > 0 && `Format: ${problems.join(", ")}. `}
        {!is_number &&
          (released.reading.letter !== letter || released.format !== verdict.format) &&
          `As released: ${released.reading.letter ?? "nothing"}, format ${released.format}.`}
        {judgement !== null && judgement.status !== "no_judge" && ` Judged by ${judgement.by}.`}
      </p>
    </div>
  );
}
