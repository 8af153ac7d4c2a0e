import { ActionIcon, CloseButton } from "@mantine/core";
import type { CompletionGroup, RunSeries } from "@sightline/core/runs";
import { GlyphLegend, GroupColumns, GroupList, isHeldOut } from "@sightline/ui/group-grid";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { IconChevronLeft, IconChevronRight, IconMovie } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { trpc } from "../../../app/clients.ts";
import { GroupLink } from "../group/group-link.tsx";
import classes from "./groups-tab.module.css";
import type { RunView } from "./use-run-view.ts";

const NONE: CompletionGroup[] = [];
const EXPECTING_MS = 1000;
/** A run may have kept none; then asking ends. */
const EXPECTED_TIMES = 60;

/** True when the events of a step told of completions that are not there. */
function isExpecting(groups: readonly CompletionGroup[], series: RunSeries, step: number | null): boolean {
  if (step === null || (series.step ?? -1) < step) return false;
  if (groups.length === 0) return true;
  const isEvaluated = series.marks.some((mark) => mark.kind === "evaluation" && mark.step === step);
  return isEvaluated && !groups.some(({ completions }) => completions.some(isHeldOut));
}

/** The groups of the picked step, and the completions of the one that is open. */
export function GroupsTab({ view, series }: { view: RunView; series: RunSeries }) {
  const step = view.step ?? series.step;
  const { refetch, ...found } = useQuery({
    ...trpc.runs.completions.queryOptions({ run_id: view.run_id, step: step ?? 0 }),
    enabled: step !== null,
    placeholderData: (before) => before,
    // The two streams of a run are read apart: what events told of may have completions that are still to come.
    refetchInterval: ({ state }) =>
      state.dataUpdateCount < EXPECTED_TIMES && isExpecting(state.data ?? NONE, series, step)
        ? EXPECTING_MS
        : false,
  });
  // A step's completions come before its metrics, its held-out answers before their evaluation's mark.
  const arrived = `${Math.min(series.step ?? 0, step ?? 0)} ${series.marks.length} ${series.tallies.length}`;
  const asked = useRef(arrived);
  useEffect(() => {
    if (asked.current === arrived) return;
    asked.current = arrived;
    void refetch();
  }, [arrived, refetch]);
  if (step === null)
    return <p className={classes.hint}>The groups of a step are here once the first was sampled.</p>;
  const groups = found.data ?? NONE;
  const trained = groups.filter(({ completions }) => !completions.some(isHeldOut));
  const held = groups.filter(({ completions }) => completions.some(isHeldOut));
  const open = groups.find((group) => group.group_id === view.group) ?? null;
  const list = (
    <div className={classes.scroll}>
      {found.isError && <p className={classes.hint}>{found.error.message}</p>}
      {found.isSuccess && groups.length === 0 && (
        <p className={classes.hint}>No completions were kept for step {step}.</p>
      )}
      <GroupList groups={trained} selected={open?.group_id ?? null} onSelect={view.openGroup} />
      {held.length > 0 && (
        <HeldOut groups={held} selected={open?.group_id ?? null} onSelect={view.openGroup} />
      )}
    </div>
  );
  return (
    <div className={classes.tab}>
      <header className={classes.header}>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label="Previous step"
          disabled={step <= 1}
          onClick={() => view.pick(step - 1)}
        >
          <IconChevronLeft size={15} />
        </ActionIcon>
        <strong>Step {step}</strong>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label="Next step"
          disabled={series.step !== null && step >= series.step}
          onClick={() => view.pick(step + 1)}
        >
          <IconChevronRight size={15} />
        </ActionIcon>
        <span className={classes.count}>{describe(trained)}</span>
        <span className={classes.legend}>
          <GlyphLegend />
        </span>
      </header>
      {/* The list stays the same one when a group is opened beside it: it holds the focus. */}
      <PaneGroup id="run-groups" direction="horizontal">
        <Pane id="list" size={34} min={220}>
          {list}
        </Pane>
        {open !== null && (
          <Pane id="group" size={66} min={300}>
            <div className={classes.group}>
              <GroupHeader run_id={view.run_id} group={open} onClose={() => view.openGroup(null)} />
              <GroupColumns
                group={open}
                actionsOf={({ k }) => (
                  <GroupLink run_id={view.run_id} group={open} k={k}>
                    Look into {k + 1}
                  </GroupLink>
                )}
              />
            </div>
          </Pane>
        )}
      </PaneGroup>
    </div>
  );
}

function HeldOut({
  groups,
  selected,
  onSelect,
}: {
  groups: readonly CompletionGroup[];
  selected: string | null;
  onSelect: (group_id: string) => void;
}) {
  const right = groups.filter((group) => group.completions[0]?.rewards.accuracy?.raw === 1).length;
  return (
    <details className={classes.held} open={groups.some((group) => group.group_id === selected)}>
      <summary>
        Evaluation: {right} of {groups.length} held-out answers right
      </summary>
      <GroupList groups={groups} selected={selected} onSelect={onSelect} />
    </details>
  );
}

function describe(groups: readonly CompletionGroup[]): string {
  const completions = groups.reduce((sum, group) => sum + group.completions.length, 0);
  return groups.length === 0 ? "" : `${groups.length} groups, ${completions} completions`;
}

function GroupHeader({
  run_id,
  group,
  onClose,
}: {
  run_id: string;
  group: CompletionGroup;
  onClose: () => void;
}) {
  return (
    <header className={classes.groupHeader}>
      <details className={classes.prompt}>
        <summary>
          {group.question_id} · {group.task.replaceAll("_", " ")} · gold {group.gold ?? "–"}
        </summary>
        <pre>{group.prompt ?? "The prompt was not kept."}</pre>
      </details>
      <GroupLink run_id={run_id} group={group}>
        Over the whole page
      </GroupLink>
      {group.clip_id !== null && <ClipLink clip_id={group.clip_id} />}
      <CloseButton size="sm" aria-label="Close the group" onClick={onClose} />
    </header>
  );
}

/** The way to the clip that a group's question is about; nothing when the library does not have it. */
function ClipLink({ clip_id }: { clip_id: string }) {
  const clip = useQuery({ ...trpc.clips.get.queryOptions({ clip_id }), retry: false }).data;
  if (!clip) return null;
  return (
    <Link to="/clips/$clipId" params={{ clipId: clip_id }} className={classes.clip} title="Open the clip">
      <IconMovie size={14} stroke={1.7} aria-hidden="true" />
      {clip.name}
    </Link>
  );
}
