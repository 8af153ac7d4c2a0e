import { Button, Progress } from "@mantine/core";
import { formatCount, formatNumberOf } from "@sightline/core/format";
import type { Flip, Replay } from "@sightline/core/replay";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconRepeat } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { trpc, whyNot } from "../../../../app/clients.ts";
import { useKeys } from "../../../../app/keys.ts";
import { notifyFailure } from "../../../../app/notify.tsx";
import { usePageTitle } from "../../../../app/page-title.ts";
import { NotShown } from "../../not-shown.tsx";
import { SidePage } from "../side-page.tsx";
import { describePlan } from "./describe.ts";
import { FlipList } from "./flip-list.tsx";
import classes from "./replay.module.css";
import { ReplayCurves } from "./replay-curves.tsx";
import { ReplayForm } from "./replay-form.tsx";
import { ReplayList } from "./replay-list.tsx";
import { FlipTable, ReplayNumbers, ReplayRemarks } from "./replay-numbers.tsx";
import { useReplay, useReplays } from "./use-replays.ts";

const route = getRouteApi("/runs/$runId/replay");

/** Stored completions of a run, scored anew: what would have turned over under other rules, weights or rewards. */
export function ReplayPage() {
  const { runId: run_id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId/replay" });
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id }));
  const replays = useReplays(run_id);
  const replay = useReplay(search.replay ?? null);
  usePageTitle("Runs", detail.data ? `Replay of ${detail.data.run.name}` : null);
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: ".", search: (before) => ({ ...before, ...change }) });
  useKeys("Reward replay", [
    { key: "Escape", label: "Close the completion", run: () => go({ trace: undefined }) },
  ]);

  const problem = whyNot(detail);
  if (problem) return <NotShown what="run" problem={problem} />;
  const run = detail.data?.run ?? null;
  return (
    <SidePage
      title="Reward replay"
      of={
        <>
          of{" "}
          <Link to="/runs/$runId" params={{ runId: run_id }}>
            <bdi>{run?.name ?? run_id}</bdi>
          </Link>
          . Nothing in the run changes.
        </>
      }
      run={run}
    >
      <div className={classes.body}>
        <aside className={classes.side}>
          <ReplayForm
            run_id={run_id}
            spec={detail.data?.spec ?? null}
            onStarted={({ replay_id }) =>
              go({ replay: replay_id, flip: undefined, task: undefined, trace: undefined })
            }
          />
          <h2 className={classes.heading}>Kept</h2>
          {replays.isError && <p className={classes.problem}>{replays.error.message}</p>}
          {replays.data && <ReplayList replays={replays.data} open={search.replay ?? null} />}
        </aside>
        <div className={classes.main}>
          {search.replay === undefined ? (
            <EmptyState
              icon={<IconRepeat size={28} stroke={1.4} />}
              title="What would another reward have paid?"
            >
              Choose on the left how the stored completions are to be scored, and replay: you see which
              verdicts turn over, and how rewards, advantages and groups without a signal change.
            </EmptyState>
          ) : replay.isError ? (
            <EmptyState title="This replay cannot be shown">{replay.error.message}</EmptyState>
          ) : replay.data ? (
            <ReplayView
              replay={replay.data}
              flip={search.flip ?? null}
              task={search.task ?? null}
              trace={search.trace ?? null}
              onFilter={(flip, task) =>
                go({ flip: flip ?? undefined, task: task ?? undefined, trace: undefined })
              }
              onTrace={(completion_id) => go({ trace: completion_id ?? undefined })}
              onPick={(step) =>
                void navigate({
                  to: "/runs/$runId",
                  params: { runId: run_id },
                  search: { step, tab: "groups" },
                })
              }
            />
          ) : (
            <p className={classes.hint}>Opening the replay …</p>
          )}
        </div>
      </div>
    </SidePage>
  );
}

function ReplayView({
  replay,
  flip,
  task,
  trace,
  onFilter,
  onTrace,
  onPick,
}: {
  replay: Replay;
  flip: Flip | null;
  task: string | null;
  trace: number | null;
  onFilter: (flip: Flip | null, task: string | null) => void;
  onTrace: (completion_id: number | null) => void;
  onPick: (step: number) => void;
}) {
  const { summary } = replay;
  return (
    <section aria-label={replay.name} data-replay-state={replay.state} className={classes.view}>
      <header className={classes.viewHead}>
        <h2 className={classes.viewTitle}>{replay.name}</h2>
        <span className={classes.quiet}>
          {replay.name !== describePlan(replay.plan) && `${describePlan(replay.plan)} · `}
          {replay.author}, {new Date(replay.made_secs * 1000).toLocaleString()}
          {summary !== null && summary.last_step !== null && ` · up to step ${summary.last_step}`}
        </span>
      </header>
      {replay.state === "working" && <Working replay={replay} />}
      {replay.state === "cancelled" && (
        <p className={classes.hint}>It was cancelled before all was scored. Replay again to have it whole.</p>
      )}
      {replay.state === "failed" && (
        <p className={classes.problem} role="alert">
          {replay.problem}
        </p>
      )}
      {summary !== null && (
        <>
          <div className={classes.top}>
            <ReplayNumbers summary={summary} />
            <ReplayRemarks summary={summary} />
          </div>
          <ReplayCurves summary={summary} onPick={onPick} />
          <FlipTable summary={summary} flip={flip} task={task} onFilter={onFilter} />
          <FlipList
            run_id={replay.run_id}
            replay_id={replay.replay_id}
            flip={flip}
            task={task}
            open={trace}
            onOpen={onTrace}
          />
        </>
      )}
    </section>
  );
}

function Working({ replay }: { replay: Replay }) {
  const { done, total, replay_id } = replay;
  const cancel = useMutation(
    trpc.replay.cancel.mutationOptions({
      onError: (error) => notifyFailure("It could not be cancelled", error),
    }),
  );
  return (
    <div className={classes.working}>
      <Progress value={(100 * done) / Math.max(1, total)} aria-label="Scored" className={classes.progress} />
      <span className={classes.quiet} role="status">
        {formatCount(done)} of {formatNumberOf(total, "completion")}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ replay_id })}
      >
        Cancel
      </Button>
    </div>
  );
}
