import { type CheckedLinks, LINK_WORDS, type LinkCheck, type LinkState } from "@sightline/core/links";
import type { Trace } from "@sightline/core/traces";
import { IconCheck, IconQuestionMark, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { trpc } from "../clients.ts";
import { useKeys } from "../keys.ts";
import type { TracePanelProps } from "../trace/panels.ts";
import classes from "./links.module.css";
import { LookList } from "./look-list.tsx";
import { PrepareButton } from "./prepare-button.tsx";

const STATES: Record<LinkState, { word: string; Icon: typeof IconCheck }> = {
  holds: { word: "holds", Icon: IconCheck },
  fails: { word: "fails", Icon: IconX },
  unknown: { word: "can’t tell", Icon: IconQuestionMark },
};

/** Each link of one completion, from the clip to the letter, with what to look at; the first that fails stands out. */
export function LinksPanel({ completion, prompt, onPoint }: TracePanelProps) {
  const { run_id, attempt, seq } = completion;
  const found = useQuery(trpc.links.check.queryOptions({ run_id, attempt, seq }));
  const root = useRef<HTMLDivElement>(null);
  const focusEvidence = () => {
    const broken = root.current?.querySelector("[data-broken]");
    const all = [...((broken ?? root.current)?.querySelectorAll<HTMLElement>("a, button") ?? [])];
    (
      all.find((one) => one.tagName === "A") ??
      all[0] ??
      root.current?.querySelector<HTMLElement>("a, button")
    )?.focus();
  };
  /** What was lacking has been made; the evidence gets the focus once it is on screen. */
  const isWanted = useRef(false);
  useEffect(() => {
    if (!isWanted.current || found.data?.lacks !== null) return;
    isWanted.current = false;
    focusEvidence();
  });
  useKeys("Trace", [{ key: "b", label: "Go to the evidence of the broken link", run: focusEvidence }]);

  if (found.isError) return <p className={classes.quiet}>{found.error.message}</p>;
  if (!found.data) return <p className={classes.quiet}>Looking at each link …</p>;
  const report = found.data;
  return (
    <div ref={root} className={classes.root}>
      <Report report={report} text={completion.text} prompt={prompt} onPoint={onPoint}>
        {report.lacks !== null && (
          <PrepareButton
            line={completion}
            report={report}
            onDone={() => {
              isWanted.current = true;
            }}
          />
        )}
      </Report>
    </div>
  );
}

/** The same of a trace that somebody asked for on a clip. */
export function LinksOfTrace({
  trace: { trace_id, text, prompt },
  onPoint,
}: {
  trace: Pick<Trace, "trace_id" | "text" | "prompt">;
  onPoint: (index: number | null) => void;
}) {
  const found = useQuery({ ...trpc.links.checkTrace.queryOptions({ trace_id }), staleTime: 0 });
  if (found.isError) return <p className={classes.quiet}>{found.error.message}</p>;
  if (!found.data) return <p className={classes.quiet}>Looking at each link …</p>;
  return (
    <div className={classes.root}>
      <Report report={found.data} text={text} prompt={prompt} onPoint={onPoint} />
    </div>
  );
}

function Report({
  report,
  text,
  prompt,
  onPoint,
  children,
}: {
  report: CheckedLinks;
  text: string;
  prompt: string | null;
  onPoint: (point: number | null) => void;
  children?: ReactNode;
}) {
  const { broken, untold, sentence } = report;
  return (
    <>
      <p className={classes.verdict} data-state={broken === null ? "none" : "fails"} role="status">
        {broken !== null && <strong>{LINK_WORDS[broken]}: no. </strong>}
        {sentence}
      </p>
      {children}
      <ol className={classes.list} aria-label="Links">
        {report.checks.map((check) => (
          <CheckRow
            key={check.link}
            check={check}
            report={report}
            text={text}
            prompt={prompt}
            isBroken={check.link === broken}
            isUntold={broken !== null && untold.includes(check.link)}
            onPoint={onPoint}
          />
        ))}
      </ol>
    </>
  );
}

function CheckRow({
  check: { link, state, sentence, looks },
  report,
  text,
  prompt,
  isBroken,
  isUntold,
  onPoint,
}: {
  check: LinkCheck;
  report: CheckedLinks;
  text: string;
  prompt: string | null;
  isBroken: boolean;
  /** It stands before the one that broke, and nothing is known of it. */
  isUntold: boolean;
  onPoint: (point: number | null) => void;
}) {
  const { word, Icon } = STATES[state];
  return (
    <li
      className={classes.check}
      data-link={link}
      data-state={state}
      data-broken={isBroken || undefined}
      data-untold={isUntold || undefined}
    >
      <span className={classes.mark} aria-hidden="true">
        <Icon size={13} stroke={2.4} />
      </span>
      <div>
        <div className={classes.head}>
          <span className={classes.name}>{LINK_WORDS[link]}</span>
          <span className={classes.state}>{word}</span>
        </div>
        {isBroken ? null : <p className={classes.sentence}>{sentence}</p>}
        <LookList looks={looks} report={report} text={text} prompt={prompt} onPoint={onPoint} />
      </div>
    </li>
  );
}
