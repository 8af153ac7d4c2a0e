import { ActionIcon, Button, SegmentedControl } from "@mantine/core";
import type { CompletionGroup } from "@sightline/core/runs";
import { EmptyState } from "@sightline/ui/empty-state";
import { GlyphLegend, isHeldOut, orderByAdvantage } from "@sightline/ui/group-grid";
import { IconArrowLeft, IconChevronLeft, IconChevronRight, IconColumns3 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { useKeys } from "../../../app/keys.ts";
import { usePageTitle } from "../../../app/page-title.ts";
import { TraceInspector } from "../../../app/trace/index.tsx";
import { SimulatedBadge } from "../simulated-badge.tsx";
import { AccountLine } from "./account-line.tsx";
import { Columns } from "./group-columns.tsx";
import classes from "./group-page.module.css";
import { useGroup } from "./use-group.ts";
import { type GroupView, useGroupView } from "./use-group-view.ts";

/** The completions of one prompt side by side, or one of them in the inspector. */
export function GroupPage() {
  const view = useGroupView();
  const { group, account, isLoading, isExpected, problem } = useGroup(view);
  const { run_id, step } = view;
  usePageTitle("Runs", group ? `${group.question_id} at step ${step}` : null);
  if (isLoading) return <p className={classes.waiting}>Reading the group …</p>;
  if (!group)
    return (
      <EmptyState
        icon={<IconColumns3 size={28} stroke={1.4} />}
        title={isExpected ? "This group is not there yet" : "This group cannot be shown"}
        actions={
          <Button component={Link} to={`/runs/${run_id}`} variant="default" size="xs">
            Open the run
          </Button>
        }
      >
        {isExpected
          ? "The run has not come this far, or the server still reads what it wrote. The group is shown here as soon as it is there."
          : (problem ??
            "This run kept no group of that name at that step and attempt. Open the run and pick a group there.")}
      </EmptyState>
    );
  const ordered = view.isByNumber ? group.completions : orderByAdvantage(group.completions);
  const opened = ordered.find(({ k }) => k === view.k) ?? null;
  return (
    <div className={classes.page} data-testid="group-page">
      <Header group={group} view={view} />
      {opened === null ? (
        <div className={classes.body}>
          {account !== null && !group.completions.some(isHeldOut) && <AccountLine account={account} />}
          <Columns group={group} view={view} />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={classes.scroll} tabIndex={0} aria-label="Trace">
          <TraceInspector
            key={opened.k}
            completion={opened}
            prompt={group.prompt}
            account={account?.completions.find(({ k }) => k === opened.k) ?? null}
          />
        </section>
      )}
    </div>
  );
}

function Header({ group, view }: { group: CompletionGroup; view: GroupView }) {
  const run = useQuery(trpc.runs.get.queryOptions({ run_id: view.run_id })).data?.run ?? null;
  const ordered = view.isByNumber ? group.completions : orderByAdvantage(group.completions);
  const at = ordered.findIndex(({ k }) => k === view.k);
  const isOpen = at >= 0;
  const go = (by: number) => {
    const next = ordered[at + by];
    if (isOpen && next) view.open(next.k);
  };
  useKeys("Group", [
    {
      key: "1 2 3 4 5 6 7 8 9",
      shown: "1–9",
      label: "Look into a completion, counted as they stand",
      run: ({ key }) => {
        const next = ordered[Number(key) - 1];
        if (next) view.open(next.k);
      },
    },
    { key: "]", label: "Next completion", run: () => go(1) },
    { key: "[", label: "The one before", run: () => go(-1) },
    { key: "o", label: "By number, or by advantage", run: () => view.orderByNumber(!view.isByNumber) },
    { key: "c", label: "Compare with what most of them say", run: () => view.compare(null) },
    { key: "Escape", label: "Back to all of them", run: () => view.open(null) },
  ]);
  return (
    <header className={classes.header}>
      <Link
        to="/runs/$runId"
        params={{ runId: view.run_id }}
        search={{ step: view.step, group: group.group_id, tab: "groups" }}
        className={classes.back}
      >
        <IconArrowLeft size={14} aria-hidden="true" />
        <span>
          <bdi>{run?.name ?? "The run"}</bdi>, step {view.step}
        </span>
      </Link>
      {run && (run.simulated || run.recorded) && <SimulatedBadge run={run} />}
      <h1 className={classes.name}>
        {group.task.replaceAll("_", " ")} <bdi className={classes.quiet}>{group.question_id}</bdi>
      </h1>
      <span className={classes.quiet}>gold {group.gold ?? "–"}</span>
      {group.rolled_back && (
        <span className={classes.quiet}>rolled back: a newer attempt went over it again</span>
      )}
      {isOpen ? (
        <span className={classes.tools}>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label="The completion before"
            disabled={at === 0}
            onClick={() => go(-1)}
          >
            <IconChevronLeft size={15} />
          </ActionIcon>
          <span>
            completion {(view.k ?? 0) + 1}, {at + 1} of {ordered.length}
          </span>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label="The next completion"
            disabled={at === ordered.length - 1}
            onClick={() => go(1)}
          >
            <IconChevronRight size={15} />
          </ActionIcon>
          <Button size="compact-xs" variant="default" onClick={() => view.open(null)}>
            {ordered.length > 1 ? "All of the group" : "The group"}
          </Button>
        </span>
      ) : (
        <span className={classes.tools}>
          <SegmentedControl
            size="xs"
            aria-label="Order"
            value={view.isByNumber ? "k" : "advantage"}
            data={[
              { value: "advantage", label: "By advantage" },
              { value: "k", label: "By number" },
            ]}
            onChange={(order) => view.orderByNumber(order === "k")}
          />
        </span>
      )}
      <span className={classes.row} />
      <details className={classes.prompt}>
        <summary>Prompt</summary>
        <pre>{group.prompt ?? "The prompt was not kept."}</pre>
      </details>
      {!isOpen && ordered.length > 1 && (
        <p className={classes.marked}>
          {view.against === null
            ? "Underlined: words that fewer than half of the others have"
            : `Underlined: what differs from completion ${view.against + 1}`}
          {view.against !== null && (
            <button type="button" className={classes.action} onClick={() => view.compare(null)}>
              Compare with what most say
            </button>
          )}
        </p>
      )}
      {!isOpen && (
        <span className={classes.legend}>
          <GlyphLegend />
        </span>
      )}
    </header>
  );
}
