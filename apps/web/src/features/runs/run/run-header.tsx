import { ActionIcon, Button, Tooltip } from "@mantine/core";
import type { RunDetail, RunSeries, RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import { IconDeviceFloppy, IconEye, IconPencil, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../../app/clients.ts";
import { notifyDone, notifyFailure } from "../../../app/notify.tsx";
import { rename, restore } from "../commands.ts";
import { RunNameField } from "../run-name-field.tsx";
import { formatDuration, getSecsLeft, isLive, RUN_STATES } from "../run-state.ts";
import { SimulatedBadge } from "../simulated-badge.tsx";
import classes from "./run-header.module.css";

/** Which run this is, how it stands, and what can be done to it. */
export function RunHeader({
  run,
  detail,
  phase,
}: {
  run: RunSummary;
  detail: RunDetail | null;
  /** What the newest attempt said last of what it does; null before it said anything. */
  phase: RunSeries["phase"];
}) {
  const words = RUN_STATES[run.state];
  const left = getSecsLeft(run);
  return (
    <header className={classes.header}>
      <RunName run={run} />
      {(run.simulated || run.recorded) && <SimulatedBadge run={run} />}
      {run.watched && (
        <span
          className={classes.watched}
          title="Somebody else started it: it is read as it goes on, and can't be stopped or resumed from here."
        >
          <IconEye size={13} stroke={1.8} aria-hidden /> read-only: started elsewhere
        </span>
      )}
      <span className={classes.quiet}>
        {run.preset}
        {!run.name.includes(`seed ${run.seed}`) && ` · seed ${run.seed}`}
      </span>
      <span className={classes.state}>
        <Status tone={words.tone} label={words.label} title={words.meaning} />
      </span>
      {run.trashed_secs !== null && (
        <span className={classes.trashed} role="status">
          in the trash
          <Button size="compact-xs" variant="default" onClick={() => void restore([run])}>
            Bring it back
          </Button>
        </span>
      )}
      {run.queue && (
        <span className={classes.quiet}>
          <Link to="/runs/queue">no. {run.queue.position} in the queue</Link>: {run.queue.why}
        </span>
      )}
      {run.forked_from && (
        <span className={classes.quiet}>
          fork from step {run.forked_from.step} of{" "}
          <Link to="/runs/$runId" params={{ runId: run.forked_from.run_id }} search={{ tab: "checkpoints" }}>
            its parent
          </Link>
        </span>
      )}
      {run.sweep && (
        <Link to="/runs/sweeps/$sweepId" params={{ sweepId: run.sweep.sweep_id }} className={classes.quiet}>
          sweep {run.sweep.name}
        </Link>
      )}
      <span className={classes.steps} title="Progress">
        step <b>{run.step ?? 0}</b>
        {run.max_steps !== null && <> / {run.max_steps}</>}
      </span>
      {phase !== null && isLive(run.state) && <PhaseNote phase={phase} />}
      {/* A recorded run was made elsewhere, at a time that this server did not see. */}
      {run.ended_secs !== null && !run.recorded && (
        <span className={classes.quiet}>
          {run.state === "done" ? "in" : "after"} {formatDuration(run.ended_secs - run.created_secs)}
        </span>
      )}
      {left !== null && <span className={classes.quiet}>≈ {formatDuration(left)} left</span>}
      {run.steps_per_sec !== null && isLive(run.state) && (
        <span className={classes.pace}>{formatPace(run.steps_per_sec)}</span>
      )}
      <span className={classes.actions}>
        <Button
          renderRoot={(props) => <Link to="/runs/$runId/replay" params={{ runId: run.run_id }} {...props} />}
          size="compact-sm"
          variant="subtle"
          color="gray"
          title="Score its completions anew under another reward"
        >
          Replay
        </Button>
        <Button
          renderRoot={(props) => <Link to="/runs/$runId/figures" params={{ runId: run.run_id }} {...props} />}
          size="compact-sm"
          variant="subtle"
          color="gray"
          title="The paper's training figures, from this run"
        >
          Figures
        </Button>
        {!run.watched && (
          <>
            <CheckpointButton run={run} />
            <StopButton run={run} />
            <ResumeButton run={run} detail={detail} />
          </>
        )}
      </span>
    </header>
  );
}

/** What a run does that is no step of training; what is unknown is named as it came. */
const PHASES: Record<string, string> = {
  environment: "preparing the environment",
  load_model: "loading the model",
  load_data: "loading the questions",
  warm_start: "warming up",
  evaluate: "evaluating",
  save: "saving",
  finish: "finishing",
};

function PhaseNote({ phase: { name, done, total } }: { phase: NonNullable<RunSeries["phase"]> }) {
  if (name === "train") return null;
  return (
    <span className={classes.quiet} role="status">
      {PHASES[name] ?? name}
      {total > 1 && ` · ${done} of ${total}`}
    </span>
  );
}

function formatPace(steps_per_sec: number): string {
  return steps_per_sec >= 1
    ? `${steps_per_sec.toFixed(1)} steps/s`
    : `${(1 / steps_per_sec).toFixed(1)} s/step`;
}

function RunName({ run }: { run: RunSummary }) {
  const [isRenaming, setRenaming] = useState(false);
  if (isRenaming)
    return (
      <RunNameField
        name={run.name}
        onDone={(name) => {
          setRenaming(false);
          if (name !== null) void rename(run, name);
        }}
      />
    );
  return (
    <span className={classes.name}>
      <h1 className={classes.title} title={run.name}>
        {run.name}
      </h1>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label="Rename the run"
        onClick={() => setRenaming(true)}
      >
        <IconPencil size={14} stroke={1.7} />
      </ActionIcon>
    </span>
  );
}

function CheckpointButton({ run }: { run: RunSummary }) {
  const checkpoint = useMutation(
    trpc.runs.checkpoint.mutationOptions({
      onSuccess: () => notifyDone(`${run.name} saves a checkpoint after its step.`),
      onError: (error) => notifyFailure(`Could not save a checkpoint of ${run.name}`, error),
    }),
  );
  if (run.state !== "running" && run.state !== "orphaned") return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconDeviceFloppy size={14} stroke={1.7} />}
      loading={checkpoint.isPending}
      onClick={() => checkpoint.mutate({ run_id: run.run_id })}
    >
      Checkpoint
    </Button>
  );
}

function StopButton({ run }: { run: RunSummary }) {
  const isQueued = run.state === "queued";
  const stop = useMutation(
    trpc.runs.stop.mutationOptions({
      onSuccess: () =>
        notifyDone(
          isQueued
            ? `${run.name} no longer waits; nothing was started.`
            : `${run.name} stops after its step and saves a checkpoint.`,
        ),
      onError: (error) => notifyFailure(`Could not stop ${run.name}`, error),
    }),
  );
  if (!isLive(run.state)) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconPlayerStop size={14} stroke={1.7} />}
      loading={stop.isPending}
      disabled={run.state === "stopping"}
      onClick={() => stop.mutate({ run_id: run.run_id })}
    >
      {isQueued ? "Cancel" : "Stop"}
    </Button>
  );
}

function ResumeButton({ run, detail }: { run: RunSummary; detail: RunDetail | null }) {
  const resume = useMutation(
    trpc.runs.resume.mutationOptions({
      onSuccess: ({ attempt }) => notifyDone(`Attempt ${attempt} goes on from the last checkpoint.`),
      onError: (error) => notifyFailure(`Could not resume ${run.name}`, error),
    }),
  );
  if (isLive(run.state) || detail === null || (run.state === "done" && !detail.resumable)) return null;
  const button = (
    <Button
      size="compact-sm"
      variant={detail.resumable ? "filled" : "default"}
      leftSection={<IconPlayerPlay size={14} stroke={1.7} />}
      loading={resume.isPending}
      data-disabled={!detail.resumable || undefined}
      aria-disabled={!detail.resumable || undefined}
      onClick={() => {
        if (detail.resumable) resume.mutate({ run_id: run.run_id });
      }}
    >
      Resume
    </Button>
  );
  if (detail.resume_hint === null) return button;
  return (
    <Tooltip label={detail.resume_hint} multiline maw={320}>
      {button}
    </Tooltip>
  );
}
