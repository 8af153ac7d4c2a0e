import { Button } from "@mantine/core";
import { Status } from "@sightline/ui/status";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { trpc } from "../../app/clients.ts";
import { useJobs } from "../../app/jobs.ts";
import { notifyFailure } from "../../app/notify.tsx";
import classes from "./hosts.module.css";

/** "torch 2.9.0 · trl 0.21.0 · CUDA" */
function describeVersions(versions: Record<string, string | boolean>): string {
  return Object.entries(versions)
    .filter(([, version]) => version !== false)
    .map(([name, version]) => (version === true ? name.toUpperCase() : `${name} ${version}`))
    .join(" · ");
}

/** Whether this machine can train: the trainer's Python packages, and the way to them. */
export function Trainer() {
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
  const share = job?.total == null || job.total === 0 ? null : Math.floor((100 * job.done) / job.total);
  return (
    <div className={classes.trainer}>
      <span className={classes.trainerName}>Trainer</span>
      {state === "ready" && <Status tone="done" label="Ready" />}
      {state === "preparing" && (
        <Status tone="busy" label={share === null ? "Preparing" : `Preparing · ${share} %`} />
      )}
      {state === "absent" && <Status tone={problem === null ? "waiting" : "wrong"} label="Not prepared" />}
      {state === "no_python" && <Status tone="wrong" label="No Python" />}
      <span className={classes.trainerText} data-wrong={problem !== null || undefined}>
        {problem ??
          (versions !== null
            ? describeVersions(versions)
            : state === "absent"
              ? "Training here needs PyTorch and TRL; simulated runs do not."
              : "")}
      </span>
      {(state === "absent" || state === "ready") && (
        <Button
          variant="default"
          loading={prepare.isPending}
          onClick={() => prepare.mutate({ repair: state === "ready" || problem !== null })}
        >
          {state === "ready" ? "Repair" : "Prepare"}
        </Button>
      )}
    </div>
  );
}
