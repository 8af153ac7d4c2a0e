import { Button, Menu } from "@mantine/core";
import type { Job } from "@sightline/core/clips";
import type { HostSummary } from "@sightline/core/hosts";
import { Status } from "@sightline/ui/status";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { client, trpc } from "../../app/clients.ts";
import { useJobs } from "../../app/jobs.ts";
import { notifyFailure } from "../../app/notify.tsx";
import { AdoptDialog } from "./adopt-dialog.tsx";
import classes from "./hosts.module.css";

/** Whether a host can train: the trainer's Python packages, and the way to them. */
export function HostTrainer({ host }: { host: HostSummary }) {
  if (host.environment === null) return <LocalTrainer />;
  return <RemoteTrainer host={host} environment={host.environment} />;
}

/** "torch 2.9.0 · trl 0.21.0 · CUDA" */
function describeVersions(versions: Record<string, string | boolean>): string {
  return Object.entries(versions)
    .filter(([, version]) => version !== false)
    .map(([name, version]) => (version === true ? name.toUpperCase() : `${name} ${version}`))
    .join(" · ");
}

function getPercent(job: Job | undefined): string {
  return job?.total == null || job.total === 0 ? "" : ` · ${Math.floor((100 * job.done) / job.total)} %`;
}

function LocalTrainer() {
  const queryClient = useQueryClient();
  const status = useQuery(trpc.environment.status.queryOptions());
  const job = useJobs().findLast(({ kind }) => kind === "environment");
  const jobState = job?.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the preparation decides when to ask again.
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: trpc.environment.status.queryKey() });
  }, [jobState, queryClient]);
  const prepare = useMutation({
    ...trpc.environment.prepare.mutationOptions(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.environment.status.queryKey() }),
    onError: (error) => notifyFailure("Could not prepare the trainer", error),
  });
  if (status.data === undefined) return null;

  const { state, problem, versions } = status.data;
  return (
    <div className={classes.trainer}>
      <span className={classes.label}>Trainer</span>
      {state === "ready" && <Status tone="done" label="Ready" />}
      {state === "preparing" && <Status tone="busy" label={`Preparing${getPercent(job)}`} />}
      {state === "absent" && <Status tone={problem === null ? "waiting" : "wrong"} label="Not prepared" />}
      {state === "no_python" && <Status tone="wrong" label="No Python" />}
      <TrainerText problem={problem} versions={versions} isAbsent={state === "absent"} />
      {(state === "absent" || state === "ready") && (
        <Button
          variant="default"
          loading={prepare.isPending}
          onClick={() => prepare.mutate({ repair: state === "ready" || problem !== null })}
        >
          {state === "ready" ? "Repair" : "Prepare"}
        </Button>
      )}
      {state === "preparing" && job !== undefined && <CancelButton job_id={job.job_id} />}
    </div>
  );
}

function RemoteTrainer({
  host,
  environment: { state, problem, versions, job_id },
}: {
  host: HostSummary;
  environment: NonNullable<HostSummary["environment"]>;
}) {
  const job = useJobs().find((one) => one.job_id === job_id);
  const [isAdopting, setAdopting] = useState(false);
  const prepare = useMutation(
    trpc.hosts.prepare.mutationOptions({
      onError: (error) => notifyFailure(`Could not prepare ${host.name}`, error),
    }),
  );
  const start = (profile: "cpu" | "cuda") =>
    prepare.mutate({ host_id: host.host_id, profile, repair: state === "ready" || problem !== null });
  const canStart = state !== "preparing" && host.state !== "refused" && host.state !== "unconfirmed";
  const isCudaFirst = (host.facts?.gpus.length ?? 0) > 0;
  return (
    <div className={classes.trainer}>
      <span className={classes.label}>Trainer</span>
      {state === "ready" && <Status tone="done" label="Ready" />}
      {state === "preparing" && <Status tone="busy" label={`Preparing${getPercent(job)}`} />}
      {state === "absent" && <Status tone={problem === null ? "waiting" : "wrong"} label="Not prepared" />}
      <TrainerText problem={problem} versions={versions} isAbsent={state === "absent"} />
      {state === "preparing" && job_id !== null && <CancelButton job_id={job_id} />}
      {canStart && (
        <Menu position="bottom-end" width={250}>
          <Menu.Target>
            <Button variant="default" loading={prepare.isPending}>
              {state === "ready" ? "Prepare again" : problem === null ? "Prepare" : "Try again"}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(isCudaFirst ? (["cuda", "cpu"] as const) : (["cpu", "cuda"] as const)).map((profile) => (
              <Menu.Item key={profile} onClick={() => start(profile)}>
                {profile === "cpu" ? "Install for the processor" : "Install for CUDA GPUs"}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => setAdopting(true)}>Adopt an interpreter…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isAdopting && <AdoptDialog host={host} onClose={() => setAdopting(false)} />}
    </div>
  );
}

function TrainerText({
  problem,
  versions,
  isAbsent,
}: {
  problem: string | null;
  versions: Record<string, string | boolean> | null;
  isAbsent: boolean;
}) {
  return (
    <span className={classes.trainerText} data-wrong={problem !== null || undefined}>
      {problem ??
        (versions !== null
          ? describeVersions(versions)
          : isAbsent
            ? "Training here needs PyTorch and TRL; simulated runs do not."
            : "")}
    </span>
  );
}

function CancelButton({ job_id }: { job_id: string }) {
  const cancel = () => {
    client.jobs.cancel
      .mutate({ job_id })
      .catch((error: unknown) => notifyFailure("Could not cancel the preparation", error));
  };
  return (
    <Button variant="default" onClick={cancel}>
      Cancel
    </Button>
  );
}
