import type { Job } from "@sightline/core/clips";
import { formatBytes } from "@sightline/core/format";
import { JobTray, type TrayItem } from "@sightline/ui/job-tray";
import { IconPlayerPause, IconPlayerPlay, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { client } from "./clients.ts";
import { ConnectionState } from "./connection.tsx";
import classes from "./foot.module.css";
import { useJobs } from "./jobs.ts";
import { notifyFailure } from "./notify.tsx";
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
  const [cleared, setCleared] = useState<ReadonlySet<string>>(new Set());
  const jobItems = jobs.filter(({ job_id }) => !cleared.has(job_id)).map(toJobItem);
  return (
    <footer className={classes.foot}>
      <JobTray
        items={[...uploads.map(toUploadItem), ...jobItems.reverse()]}
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

function toJobItem(job: Job): TrayItem {
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
    actions: isOver(job) ? [] : [{ label: "Cancel", icon: <IconX size={14} />, run: cancel }],
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
