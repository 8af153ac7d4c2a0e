import type { Job } from "@sightline/core/clips";
import { formatBytes, formatCount } from "@sightline/core/format";
import { isEndState, type RunState, type RunSummary } from "@sightline/core/runs";
import { JobTray, type TrayItem } from "@sightline/ui/job-tray";
import { IconArrowRight, IconPlayerPause, IconPlayerPlay, IconStack2, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "./clients.ts";
import { ConnectionState } from "./connection.tsx";
import classes from "./foot.module.css";
import { useJobs } from "./jobs.ts";
import { notifyFailure } from "./notify.tsx";
import { useRuns } from "./runs.ts";
import {
  cancelUpload,
  canHold,
  continueUpload,
  forgetUpload,
  holdUpload,
  type Upload,
  useUploads,
} from "./uploads.ts";

/** The foot of every page: all long work in one line, and how the connection stands. */
export function Foot() {
  const jobs = useJobs();
  const uploads = useUploads((state) => state.uploads);
  const runs = useRuns().data ?? [];
  const navigate = useNavigate();
  const [cleared, setCleared] = useState<ReadonlySet<string>>(new Set());
  const open = (runId: string) => void navigate({ to: "/runs/$runId", params: { runId } });
  const runItems = runs
    .filter(({ state }) => !isEndState(state))
    .map((run) => toRunItem(run, () => open(run.run_id)));
  const jobItems = jobs
    .filter(({ job_id }) => !cleared.has(job_id))
    // A batch begins many others; it speaks for them.
    .sort((one, other) => Number(one.kind === "batch") - Number(other.kind === "batch"))
    .map((job) => toJobItem(job, () => void navigate({ to: "/batches" })));
  return (
    <footer className={classes.foot}>
      <JobTray
        items={[...uploads.map(toUploadItem), ...runItems, ...jobItems.reverse()]}
        onClear={() => {
          for (const { upload_id, state } of uploads) if (state === "arrived") forgetUpload(upload_id);
          setCleared(new Set(jobs.filter(isOver).map(({ job_id }) => job_id)));
        }}
      />
      <ConnectionState />
    </footer>
  );
}

function isOver({ state }: Job): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

/** @param openBatches  Goes to where batches are followed. */
function toJobItem(job: Job, openBatches: () => void): TrayItem {
  const cancel = () => {
    client.jobs.cancel
      .mutate({ job_id: job.job_id })
      .catch((error: unknown) => notifyFailure(`Could not cancel “${job.title}”`, error));
  };
  return {
    key: job.job_id,
    title: job.title,
    state: job.state,
    done: job.done,
    total: job.total,
    problem: job.problem,
    actions: [
      ...(job.kind === "batch" ? [{ label: "Open", icon: <IconStack2 size={14} />, run: openBatches }] : []),
      ...(isOver(job) ? [] : [{ label: "Cancel", icon: <IconX size={14} />, run: cancel }]),
    ],
  };
}

const STATES: Record<Upload["state"], TrayItem["state"]> = {
  waiting: "waiting",
  sending: "running",
  held: "paused",
  arrived: "done",
  failed: "failed",
};

function toUploadItem({ upload_id, name, state, sent, bytes, problem }: Upload): TrayItem {
  const hold = { label: "Pause", icon: <IconPlayerPause size={14} />, run: () => holdUpload(upload_id) };
  const goOn = { label: "Go on", icon: <IconPlayerPlay size={14} />, run: () => continueUpload(upload_id) };
  const cancel = { label: "Cancel", icon: <IconX size={14} />, run: () => cancelUpload(upload_id) };
  const actions = {
    waiting: [cancel],
    sending: canHold(upload_id) ? [hold, cancel] : [],
    held: [goOn, cancel],
    failed: [goOn, cancel],
    arrived: [],
  }[state];
  return {
    key: upload_id,
    title: `Adding ${name}`,
    state: STATES[state],
    done: sent ?? 0,
    total: sent === null ? null : bytes,
    detail:
      state === "arrived" || sent === null ? undefined : `${formatBytes(sent)} of ${formatBytes(bytes)}`,
    problem,
    actions,
  };
}

/** What of a run's life is work; the others wait for something. */
const AT_WORK: ReadonlySet<RunState> = new Set(["running", "stalled", "orphaned", "stopping"]);

function toRunItem(
  { run_id, name, engine, state, step, max_steps, simulated }: RunSummary,
  open: () => void,
): TrayItem {
  const is_at_work = AT_WORK.has(state);
  const isAsking = engine === "evaluate";
  const count = max_steps === null ? `${step ?? 0}` : `${step ?? 0} of ${formatCount(max_steps)}`;
  const steps = `${isAsking ? "question" : "step"} ${count}`;
  return {
    key: run_id,
    title: `${simulated ? "Simulating" : isAsking ? "Evaluating" : "Training"} ${name}`,
    state: is_at_work ? "running" : "waiting",
    done: step ?? 0,
    total: max_steps,
    detail: state === "running" ? steps : is_at_work ? `${state}, ${steps}` : state,
    problem: null,
    actions: [{ label: "Open", icon: <IconArrowRight size={14} />, run: open }],
  };
}
