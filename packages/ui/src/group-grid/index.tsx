import type { CompletionGroup } from "@sightline/core/runs";
import { toNumber } from "@sightline/core/wire";
import type { ReactNode } from "react";
import { formatValue } from "../curve/axis.ts";
import { type Citation, type Span, TraceText } from "../trace-text/index.tsx";
import { Glyph } from "./glyph.tsx";
import classes from "./group-grid.module.css";
import { listParts, PartsBar } from "./parts-bar.tsx";
import { type Completion, getSpread, getVerdict, isHeldOut, VERDICT_WORDS } from "./verdict.ts";

export { GlyphLegend } from "./glyph.tsx";
export { type Completion, getSpread, getVerdict, isHeldOut, type Verdict } from "./verdict.ts";

/** The groups of one step: a row each, its completions as glyphs. */
export function GroupList({
  groups,
  selected,
  onSelect,
}: {
  groups: readonly CompletionGroup[];
  selected: string | null;
  onSelect: (group_id: string) => void;
}) {
  return (
    <ul className={classes.list}>
      {groups.map((group) => {
        const spread = group.completions.some(isHeldOut)
          ? null
          : getSpread(group.completions.map((one) => toNumber(one.reward)));
        const isTied = spread !== null && spread.n > 1 && spread.sd === 0;
        return (
          <li key={`${group.attempt}-${group.gen}-${group.group_id}`}>
            <button
              type="button"
              className={classes.row}
              aria-pressed={selected === group.group_id}
              data-rolled-back={group.rolled_back || undefined}
              onClick={() => onSelect(group.group_id)}
            >
              <span className={classes.task}>{group.task.replaceAll("_", " ")}</span>
              <span className={classes.prompt}>{getQuestion(group.prompt) ?? group.question_id}</span>
              <span className={classes.gold}>gold {group.gold ?? "–"}</span>
              <span className={classes.spread}>
                {spread === null ? "–" : `${spread.mean.toFixed(2)} ± ${spread.sd.toFixed(2)}`}
              </span>
              <span className={classes.glyphs}>
                {group.completions.map((completion) => (
                  <Glyph key={completion.k} completion={completion} />
                ))}
              </span>
              <span className={classes.remark}>
                {group.rolled_back ? "rolled back" : isTied ? "no signal" : ""}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The part of a prompt that a person looks for: its last line that is not an option or an instruction tag. */
export function getQuestion(prompt: string | null): string | null {
  if (prompt === null) return null;
  const lines = prompt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("<") && !/^[A-I][.):]\s/.test(line));
  const found = lines.findLast((line) => line.includes("?")) ?? lines.at(-1) ?? null;
  return found === null ? null : found.replace(/^question:\s*/i, "");
}

/** The completions of one group side by side, the best first. */
export function GroupColumns({
  group,
  actionsOf,
}: {
  group: CompletionGroup;
  /** What can be done with one of them. */
  actionsOf?: (completion: Completion) => ReactNode;
}) {
  const ordered = orderByAdvantage(group.completions);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={classes.columns} tabIndex={0}>
      {ordered.map((completion) => (
        <CompletionColumn
          key={completion.k}
          completion={completion}
          gold={group.gold}
          actions={actionsOf?.(completion)}
        />
      ))}
    </div>
  );
}

/** The best first; those of one advantage by `k`. */
export function orderByAdvantage(completions: readonly Completion[]): Completion[] {
  return [...completions].sort((a, b) => byAdvantage(b) - byAdvantage(a) || a.k - b.k);
}

function byAdvantage(completion: Completion): number {
  const advantage = toNumber(completion.advantage);
  return Number.isFinite(advantage) ? advantage : Number.NEGATIVE_INFINITY;
}

/** One completion: what it answered, how it was scored and read, and its text with words that were looked for. */
export function CompletionColumn({
  completion,
  gold,
  hits,
  differs,
  citations,
  pointed,
  actions,
  onCite,
  onPoint,
}: {
  completion: Completion;
  gold: string | null;
  /** Ranges of the text to mark, in UTF-16 offsets. */
  hits?: readonly Span[] | undefined;
  differs?: readonly Span[] | undefined;
  /** As `TraceText` takes them. */
  citations?: readonly Citation[];
  pointed?: number | null;
  /** What can be done with it, under its scores. */
  actions?: ReactNode;
  onCite?: (index: number) => void;
  onPoint?: (index: number | null) => void;
}) {
  const { text, parse, rewards } = completion;
  const { think, answer } = parse;
  const verdict = getVerdict(completion);
  // A held-out answer is scored, and neither rewarded nor weighed against others.
  const isPaid = !isHeldOut(completion);
  return (
    <article
      className={classes.column}
      aria-label={`Completion ${completion.k + 1}, ${VERDICT_WORDS[verdict]}`}
    >
      <header className={classes.head}>
        <div className={classes.line}>
          <Glyph completion={completion} />
          <strong className={classes.letter}>{parse.letter ?? "–"}</strong>
          <span className={classes.quiet}>gold {gold ?? "–"}</span>
          {isPaid && (
            <span className={classes.advantage} title="Advantage within its group">
              {formatSigned(toNumber(completion.advantage))}
            </span>
          )}
        </div>
        {isPaid && <PartsBar completion={completion} />}
        <ul className={classes.parts}>
          {listParts(completion).map((part) => {
            const value = rewards[part];
            const raw = value?.raw ?? null;
            return (
              <li key={part} data-part={part} title={describePart(part, value)}>
                {!isPaid && <span className={classes.quiet}>{part} </span>}
                {raw === null ? "–" : formatValue(toNumber(raw))}
                {isPaid && <span className={classes.quiet}>×{Number((value?.weight ?? 0).toFixed(3))}</span>}
              </li>
            );
          })}
          {isPaid && (
            <li className={classes.sum} title="Reward">
              = {formatValue(toNumber(completion.reward))}
            </li>
          )}
        </ul>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className={classes.body} tabIndex={0}>
        <TraceText
          text={text}
          think={think}
          answer={answer}
          letter={findLetter(text, answer, parse.letter)}
          truncated={completion.finish === "length"}
          hits={hits}
          differs={differs}
          {...(citations && { citations })}
          {...(pointed !== undefined && { pointed })}
          {...(onCite && { onCite })}
          {...(onPoint && { onPoint })}
        />
      </div>
      <footer className={classes.foot}>
        <span>read by {parse.rule.replaceAll("_", " ")}</span>
        {answer !== null && (
          <span>
            at {answer[0]}–{answer[1]}
          </span>
        )}
        <span>{completion.tokens} tokens</span>
        {completion.judges.map((judge) => (
          <span key={judge.variant}>
            {completion.judges.length > 1 && `${judge.variant.replaceAll("_", " ")} `}judge{" "}
            {judge.status === "ok"
              ? `${judge.letter ?? "–"} · ${judge.agrees ? "agrees" : "disagrees"}`
              : judge.status.replaceAll("_", " ")}
          </span>
        ))}
        {completion.judges.length === 0 && <span>not judged</span>}
      </footer>
    </article>
  );
}

function describePart(part: string, value: Completion["rewards"][string] | undefined): string {
  if (value === undefined) return `${part}: not logged`;
  if (value.raw === null)
    return `${part}: not scored (${value.null_reason?.replaceAll("_", " ") ?? "no reason given"})`;
  return `${part}: ${value.raw}, weight ${value.weight}`;
}

/** Where the letter stands within the answer, when it does. */
export function findLetter(text: string, answer: Span | null, letter: string | null): Span | null {
  if (answer === null || letter === null) return null;
  const at = text
    .slice(answer[0], answer[1])
    .search(new RegExp(`(?<![A-Za-z])${letter.replace(/\W/g, "\\$&")}(?![A-Za-z])`));
  return at < 0 ? null : [answer[0] + at, answer[0] + at + letter.length];
}

export function formatSigned(value: number): string {
  return value > 0 ? `+${formatValue(value)}` : formatValue(value);
}
