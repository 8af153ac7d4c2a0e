import { type Asked, judgeText } from "@sightline/core/ask";
import { countHidden } from "@sightline/core/text";
import type { LineOf } from "@sightline/core/wire";
import { useMemo } from "react";
import classes from "./trace-inspector.module.css";

/** How the text was read, in words. */
export const RULES: Record<string, string> = {
  lone_letter: "a letter alone",
  boxed: "the last boxed letter",
  leading_letter: "the letter in front",
  option_text: "the option's text",
  declared: "“answer is …”",
  bracketed: "the letter in brackets",
  none: "no rule",
};

const STATUSES: Record<string, string> = {
  ok: "answered",
  skipped_wrong_answer: "not asked: the answer is wrong",
  no_think: "not asked: no reasoning",
  timeout: "said nothing in time",
  http_error: "could not be reached",
  unparsed: "gave no letter",
  no_judge: "no judge",
};

/** A judge's answer as the inspector shows it, of a run or of somebody's question. */
export type ShownJudge = {
  variant: string;
  letter: string | null;
  agrees: boolean | null;
  status: string;
  ms: number | null;
  cached: boolean;
};

/** How one output was read: its tags, its span and rule, both rule sets, the judge, its length. */
export function Reading({
  text,
  asked,
  prompt,
  emitted,
  judges,
  length,
}: {
  text: string;
  /** Null where its options are not known; then any letter up to H counts as one. */
  asked: Asked | null;
  prompt: string | null;
  /** As the run's trainer read it; null where no run wrote it. */
  emitted: Pick<LineOf<"completion">, "parse" | "rewards"> | null;
  judges: readonly ShownJudge[];
  /** Tokens and how it ended, in words. */
  length: string;
}) {
  const question = useMemo<Asked>(
    () => asked ?? { text: "", options: Array<string>(8).fill(""), gold: null, kind: "choice", task: "" },
    [asked],
  );
  const own = useMemo(() => judgeText(text, question, "sightline", prompt), [text, question, prompt]);
  const released = useMemo(() => judgeText(text, question, "embodied-r"), [text, question]);
  const hidden = useMemo(() => countHidden(text), [text]);
  const { answer, problems, blocks, reason } = own.reading;
  const is_number = question.kind === "number";
  const rows = [
    ...(emitted
      ? [
          {
            name: "As the run read it",
            letter: emitted.parse.letter,
            rule: sayRule(emitted.parse.rule),
            format: emitted.rewards.format?.raw ?? null,
            accuracy: emitted.rewards.accuracy?.raw ?? null,
          },
        ]
      : []),
    {
      name: "Rules sightline",
      letter: own.reading.letter,
      rule: sayRule(own.reading.rule),
      format: own.format,
      accuracy: own.accuracy,
    },
    {
      name: "Rules embodied-r",
      letter: released.reading.letter,
      rule: "the whole text is searched",
      format: released.format,
      accuracy: released.accuracy,
    },
  ];
  // What was not scored contradicts nothing.
  const isSplit =
    new Set(rows.map(({ letter }) => letter)).size > 1 ||
    (["format", "accuracy"] as const).some(
      (part) => new Set(rows.flatMap((row) => row[part] ?? [])).size > 1,
    );
  return (
    <>
      <section className={classes.panel} aria-label="How it was read">
        <h3 className={classes.title}>How it was read</h3>
        <p className={classes.line} data-wrong={problems.length > 0 || undefined} data-testid="tags">
          {problems.length === 0
            ? "Tags: one reasoning, then one answer, both whole."
            : `Tags: ${problems.join(", ")}.`}
        </p>
        <p className={classes.line} data-testid="span">
          {answer === null
            ? "No answer block: what stands outside the reasoning was read."
            : `Read: characters ${answer[0]} to ${answer[1]}, ${blocks.filter(({ tag }) => tag === "answer").length > 1 ? "the last answer block" : "the answer block"}.`}{" "}
          {!is_number && reason !== null && `No letter: ${reason}.`}
        </p>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Rules</th>
              <th scope="col">Letter</th>
              <th scope="col">Read by</th>
              <th scope="col">Format</th>
              <th scope="col">Accuracy</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, letter, rule, format, accuracy }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{is_number ? "–" : (letter ?? "none")}</td>
                <td className={classes.words}>{rule}</td>
                <td>{format ?? "–"}</td>
                <td>{accuracy ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {isSplit && <p className={classes.line}>The rules don't agree on this text.</p>}
        {asked === null && (
          <p className={classes.quiet}>
            The options of the question are not known here, so any letter from A to H counts as one, and
            accuracy is not worked out again.
          </p>
        )}
      </section>
      <section className={classes.panel} aria-label="Judge">
        <h3 className={classes.title}>Judge</h3>
        {judges.length === 0 ? (
          <p className={classes.quiet}>Nobody judged it.</p>
        ) : (
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">Variant</th>
                <th scope="col">Letter</th>
                <th scope="col">Verdict</th>
                <th scope="col">Status</th>
                <th scope="col">Took</th>
              </tr>
            </thead>
            <tbody>
              {judges.map((judge) => (
                <tr key={judge.variant}>
                  <th scope="row">{judge.variant.replaceAll("_", " ")}</th>
                  <td>{judge.letter ?? "–"}</td>
                  <td>{judge.agrees === null ? "–" : judge.agrees ? "agrees" : "disagrees"}</td>
                  <td className={classes.words}>
                    {STATUSES[judge.status] ?? judge.status.replaceAll("_", " ")}
                  </td>
                  <td>{judge.ms === null ? "–" : judge.cached ? "cached" : `${judge.ms.toFixed(0)} ms`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <p className={classes.quiet} data-testid="length">
        {length} · {text.length.toLocaleString("en")} characters
        {hidden > 0 && `, ${hidden} of them cannot be seen: raw text shows them`}
      </p>
    </>
  );
}

const sayRule = (rule: string) => RULES[rule] ?? rule.replaceAll("_", " ");
