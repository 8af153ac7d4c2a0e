import { Button, Loader, Progress, Select } from "@mantine/core";
import { findCited, readHeadingStart, type Strike, toggleStrike } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import { readTrace, type TracePart } from "@sightline/core/traces";
import { RawText, TraceText } from "@sightline/ui/trace-text";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { client } from "../../app/clients.ts";
import type { ClipPaneProps } from "../../app/clip-pane.ts";
import { useKeys } from "../../app/keys.ts";
import { LinksOfTrace } from "../../app/links/index.tsx";
import { useQuestionsOfClip } from "../../app/questions/questions.ts";
import { type Choice, usePicked, useReasoners } from "../../app/reasoners/reasoners.ts";
import { Reading } from "../../app/trace/index.tsx";
import classes from "./ask-pane.module.css";
import { BeforeAndAfter } from "./before-and-after.tsx";
import { CaseButton } from "./case-button.tsx";
import { EarlierTraces } from "./earlier-traces.tsx";
import { getHeadingQuestion, QuestionPart } from "./question-part.tsx";
import { Told } from "./told.tsx";
import { TriplesPicker } from "./triples-picker.tsx";
import { useAsk, type Writing } from "./use-ask.ts";
import { useTrace, useTraces } from "./use-trace.ts";
import { useTripleSet, useTripleSets } from "./use-triples.ts";
import { VerdictLine } from "./verdict-line.tsx";

const route = getRouteApi("/clips/$clipId");
const NO_STRIKES: Strike[] = [];

/** Asks a question of a clip: which one, of whom, told what; and what came of it. */
export function AskPane({ clip, selection, is_saved, frame, hovered, onOpen, onHover }: ClipPaneProps) {
  const { clip_id } = clip;
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/clips/$clipId" });
  const go = (change: { question?: string; triples?: string; trace?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });

  const questions = useQuestionsOfClip(clip_id);
  const named = useTrace(search.trace ?? null);
  const question_id = search.question ?? named.data?.question_id;
  const question =
    questions.data?.find((one) => one.question_id === question_id) ?? questions.data?.[0] ?? null;
  const pickQuestion = (question_id: string) => {
    asking.clear();
    go({ question: question_id, trace: undefined });
  };
  const [heading_problem, setHeadingProblem] = useState<string | null>(null);
  const askHeading = () => {
    setHeadingProblem(null);
    getHeadingQuestion(clip_id).then(pickQuestion, (error: unknown) =>
      setHeadingProblem(error instanceof Error ? error.message : String(error)),
    );
  };

  const sets = useTripleSets(clip_id);
  const set_id = search.triples ?? sets.data?.find(({ state }) => state === "done")?.triple_set_id ?? null;
  const set = useTripleSet(set_id);

  const reasoners = useReasoners();
  const [choice, pick] = usePicked(reasoners.choices);
  const [judge_key, setJudge] = useState<string>("itself");
  const endpoints = reasoners.choices.filter((one) => one.kind === "endpoint");
  const judge = pickJudge(judge_key, choice, endpoints);

  const traces = useTraces(clip_id, question?.question_id ?? null);
  const shown_id = search.trace ?? traces.data?.[0]?.trace_id ?? null;
  const shown = useTrace(shown_id).data ?? null;
  const before = useTrace(shown?.asked_after ?? null).data ?? null;

  const [draft, setDraft] = useState<{ set_id: string; struck: Strike[] } | null>(null);
  const told_before = shown?.triple_set_id === set_id ? shown.struck : NO_STRIKES;
  const struck = draft !== null && draft.set_id === set_id ? draft.struck : told_before;
  const strike = (one: Strike) => {
    if (set_id !== null) setDraft({ set_id, struck: toggleStrike(struck, one) });
  };

  const asking = useAsk((trace) => {
    setDraft(null);
    go({ question: trace.question_id, triples: trace.triple_set_id ?? undefined, trace: trace.trace_id });
  });
  const is_busy = asking.writing !== null || asking.is_sending || shown?.state === "streaming";
  const is_again = shown !== null && shown.question_id === question?.question_id;
  const is_whole = shown !== null && shown.text.length === shown.chars;
  const missing = sayMissing(question !== null, set.data !== undefined, choice);

  const ask = () => {
    if (is_busy || question === null || set.data === undefined || choice === null) return;
    asking.ask({
      choice,
      question_id: question.question_id,
      asked: question,
      set: set.data,
      struck,
      asked_after: is_again ? shown.trace_id : null,
      judge: judge?.kind === "endpoint" ? judge.reasoner : null,
    });
  };
  const stop = () => {
    asking.stop();
    if (shown?.state === "streaming") void client.traces.stop.mutate({ trace_id: shown.trace_id });
  };
  useKeys("Ask", [
    { key: "Enter", label: "Ask, or ask again", run: ask },
    { key: "Escape", label: "Stop", run: stop },
  ]);

  const has_both = is_whole && shown.state !== "streaming" && shown?.text !== "" && before?.text !== "";
  const triples = set.data?.triples;
  const cited = useMemo(
    () => new Set(shown === null ? [] : findCited(shown).map(({ index }) => index)),
    [shown],
  );

  return (
    <div className={classes.root}>
      <div className={classes.form}>
        <QuestionPart
          clip_id={clip_id}
          question={question}
          has_heading={(questions.data ?? []).some((one) => readHeadingStart(one) !== null)}
          onPick={pickQuestion}
          onAskHeading={askHeading}
        />
        {questions.isError && <p className={classes.problem}>{questions.error.message}</p>}
        {heading_problem !== null && <p className={classes.problem}>{heading_problem}</p>}
        <TriplesPicker
          clip_id={clip_id}
          sets={sets.data ?? []}
          set_id={set_id}
          settings_hash={is_saved ? (selection?.settings_hash ?? null) : null}
          onPick={(triple_set_id) => go({ triples: triple_set_id })}
        />
        <div className={classes.row}>
          <Select
            className={classes.grow}
            size="xs"
            aria-label="Reasoner"
            placeholder={reasoners.is_pending ? "Looking …" : "No reasoner yet"}
            data={reasoners.choices.map(({ key, label, about }) => ({
              value: key,
              label: `${label} · ${about}`,
            }))}
            value={choice?.key ?? null}
            onChange={(key) => {
              asking.clear();
              if (key !== null) pick(key);
            }}
            allowDeselect={false}
            comboboxProps={{ width: "target" }}
          />
          {choice?.kind === "endpoint" && (
            <Select
              w={130}
              size="xs"
              aria-label="Judge"
              data={[
                { value: "itself", label: "Judge: itself" },
                { value: "none", label: "No judge" },
                ...endpoints.map(({ key, label }) => ({ value: key, label: `Judge: ${label}` })),
              ]}
              value={judge_key}
              onChange={(key) => setJudge(key ?? "itself")}
              allowDeselect={false}
            />
          )}
          {is_busy ? (
            <Button
              size="xs"
              color="gray"
              variant="default"
              leftSection={<IconPlayerStop size={14} />}
              onClick={stop}
            >
              Stop
            </Button>
          ) : (
            <Button
              size="xs"
              leftSection={<IconPlayerPlay size={14} />}
              disabled={missing !== null}
              title={missing ?? "Enter"}
              onClick={ask}
            >
              {is_again ? "Ask again" : "Ask"}
            </Button>
          )}
        </div>
        {reasoners.error !== null && <p className={classes.problem}>{reasoners.error.message}</p>}
        {!reasoners.is_pending && reasoners.choices.length === 0 && (
          <p className={classes.hint}>
            Nobody to ask yet. A run of the tiny preset exports a policy that answers in this browser;{" "}
            <Link to="/runs/launch">launch one</Link>, or{" "}
            <Link to="/settings">add an endpoint or a model from the hub</Link>.
          </p>
        )}
        {asking.problem !== null && (
          <div className={classes.problem} role="alert">
            <p>{asking.problem}</p>
            {asking.unkept !== null && (
              <Button size="compact-xs" variant="default" onClick={asking.keepAgain}>
                Keep it again
              </Button>
            )}
            {choice?.kind === "policy" && choice.policy.card !== null && asking.unkept === null && (
              <p>
                It can answer the{" "}
                <button type="button" className={classes.link} onClick={askHeading}>
                  heading after the clip's moves
                </button>
                . For any other question <Link to="/settings">add an endpoint</Link>.
              </p>
            )}
          </div>
        )}
      </div>

      <section
        className={classes.scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="Reasoning"
      >
        {asking.writing !== null && question !== null && (
          <WritingView writing={asking.writing} question={question} />
        )}
        {named.isError && (
          <p className={classes.problem}>The trace of this address can't be shown: {named.error.message}</p>
        )}
        {asking.writing === null && shown !== null && (is_again || shown.trace_id === search.trace) && (
          <TraceView trace={shown} onOpen={onOpen} onHover={onHover}>
            {is_whole && <CaseButton clip={clip} trace={shown} />}
          </TraceView>
        )}
        {asking.writing === null && shown !== null && before !== null && has_both && (
          <BeforeAndAfter before={before} after={shown} />
        )}
        {triples !== undefined && (
          <div className={classes.part}>
            <h3 className={classes.title}>
              What is told
              <span className={classes.faint}>
                {struck.length === 0
                  ? "strike a key-frame or a sentence out, then ask again"
                  : `${struck.length} struck out`}
              </span>
              <Link
                className={classes.edit}
                from="/clips/$clipId"
                to="."
                search={(now) => ({ ...now, tab: "triples" })}
              >
                Edit them
              </Link>
              {struck.length > 0 && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => set_id !== null && setDraft({ set_id, struck: [] })}
                >
                  Take all back
                </Button>
              )}
            </h3>
            <Told
              triples={triples}
              struck={struck}
              frame={frame}
              hovered={hovered}
              cited={cited}
              onStrike={strike}
              onOpen={onOpen}
              onHover={onHover}
            />
          </div>
        )}
        <EarlierTraces
          traces={traces.data ?? []}
          shown_id={shown_id}
          choices={reasoners.choices}
          onPick={(trace) => {
            setDraft(null);
            go({
              trace: trace.trace_id,
              ...(trace.triple_set_id !== null && { triples: trace.triple_set_id }),
            });
          }}
        />
      </section>
    </div>
  );
}

function pickJudge(key: string, choice: Choice | null, endpoints: readonly Choice[]): Choice | null {
  if (key === "none") return null;
  if (key === "itself") return choice;
  return endpoints.find((one) => one.key === key) ?? null;
}

function sayMissing(has_question: boolean, has_triples: boolean, choice: Choice | null): string | null {
  if (!has_question) return "Pick or write a question first.";
  if (!has_triples) return "Make triples of this clip first.";
  if (choice === null) return "There is nobody to ask yet.";
  return choice.kind === "policy" ? choice.policy.problem : null;
}

function WritingView({ writing, question }: { writing: Writing; question: StoredQuestion }) {
  const { options } = question;
  const { think, answer } = readTrace(writing.text, { count: options.length, texts: options });
  return (
    <div className={classes.part}>
      <h3 className={classes.title}>
        <Loader size={12} />
        {writing.phase === "loading" && "Fetching the model"}
        {writing.phase === "writing" && "The model writes, in this browser"}
        {writing.phase === "judging" && "Its reference judges"}
      </h3>
      {writing.phase === "loading" && (
        <Progress
          size="sm"
          value={(writing.share ?? 1) * 100}
          animated={writing.share === null}
          aria-label="Fetching the model"
        />
      )}
      {writing.text !== "" && (
        <div aria-live="polite" data-testid="trace" data-state="streaming">
          <TraceText text={writing.text} think={think} answer={answer} />
        </div>
      )}
    </div>
  );
}

function TraceView({
  trace,
  onOpen,
  onHover,
  children,
}: {
  trace: TracePart;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
  children: ReactNode;
}) {
  const cited = useMemo(() => findCited(trace), [trace]);
  const toFrame = (index: number | null) =>
    trace.triples.find((triple) => triple.index === index)?.frame ?? null;
  const { reading, state, problem, chars } = trace;
  const is_whole = trace.text.length === chars;
  const [is_raw, setRaw] = useState(false);
  // Reading a long text anew takes its time, so it waits until somebody looks.
  const [is_read_out, setReadOut] = useState(false);
  const [is_asked, setAsked] = useState(false);
  useKeys("Trace", [{ key: "r", label: "Raw text, or as it reads", run: () => setRaw(!is_raw) }]);
  return (
    <div className={classes.part} data-testid="trace" data-state={state} data-trace={trace.trace_id}>
      <h3 className={classes.title}>
        {state === "streaming" && <Loader size={12} />}
        {state === "streaming" ? "Being written" : "Reasoning"}
        <span className={classes.faint}>{sayCost(trace)}</span>
        {state !== "streaming" && trace.text !== "" && children}
      </h3>
      {trace.text !== "" && is_raw && <RawText text={trace.text} />}
      {trace.text !== "" && !is_raw && (
        <TraceText
          text={trace.text}
          think={reading?.think ?? null}
          answer={reading?.answer ?? null}
          citations={cited}
          onCite={(index) => {
            const frame = toFrame(index);
            if (frame !== null) onOpen(frame);
          }}
          onPoint={(index) => onHover(toFrame(index))}
        />
      )}
      {trace.text === "" && state === "streaming" && <p className={classes.hint}>Nothing has come yet.</p>}
      {!is_whole && (
        <p className={classes.hint} role="status">
          {Math.floor((trace.text.length / chars) * 100)} % of this trace is here, the rest is coming.
        </p>
      )}
      {problem !== null && <p className={classes.problem}>{problem}</p>}
      {state === "cancelled" && <p className={classes.hint}>Stopped. What had come by then is kept.</p>}
      {trace.text !== "" && is_whole && state !== "streaming" && <VerdictLine trace={trace} />}
      {trace.text !== "" && is_whole && state !== "streaming" && (
        <details className={classes.prompt} onToggle={(event) => setReadOut(event.currentTarget.open)}>
          <summary>How it was read, by both rule sets</summary>
          {is_read_out && (
            <Reading
              text={trace.text}
              asked={trace.question}
              prompt={trace.prompt}
              emitted={null}
              judges={
                trace.judgement === null
                  ? []
                  : [{ variant: trace.judgement.by, ms: null, cached: false, ...trace.judgement }]
              }
              length={sayCost(trace) || "Tokens not counted"}
            />
          )}
        </details>
      )}
      {trace.text !== "" && is_whole && state !== "streaming" && (
        <details className={classes.prompt} onToggle={(event) => setAsked(event.currentTarget.open)}>
          <summary>Which link broke?</summary>
          {is_asked && <LinksOfTrace trace={trace} onPoint={(index) => onHover(toFrame(index))} />}
        </details>
      )}
      <details className={classes.prompt}>
        <summary>What it read</summary>
        <pre>{trace.prompt}</pre>
      </details>
    </div>
  );
}

function sayCost({ tokens, secs }: TracePart): string {
  return [
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    ...(secs === null ? [] : [`${secs < 10 ? secs.toFixed(1) : Math.round(secs)} s`]),
  ].join(" · ");
}
