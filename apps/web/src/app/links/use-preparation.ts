import type { LineOf } from "@sightline/core/wire";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../clients.ts";
import { useJobs } from "../jobs.ts";

/**
 * Makes what the way from a completion to its frames lacks: the clip of its world, key-frames, triples.
 *
 * @param onError  Called where it could not even begin.
 */
export function usePreparation(
  { run_id, attempt, seq }: Pick<LineOf<"completion">, "run_id" | "attempt" | "seq">,
  onError?: (error: { message: string }) => void,
) {
  const [job_id, setJob] = useState<string | null>(null);
  const prepare = useMutation(
    trpc.links.prepare.mutationOptions({
      onSuccess: (job) => setJob(job.job_id),
      ...(onError && { onError }),
    }),
  );
  const job = useJobs().find((one) => one.job_id === job_id) ?? null;
  const isOver = job !== null && job.state !== "waiting" && job.state !== "running";
  return {
    start: () => prepare.mutate({ run_id, attempt, seq }),
    forget: () => setJob(null),
    error: prepare.error,
    job_id,
    job,
    isOver,
    isWorking: prepare.isPending || (job_id !== null && !isOver),
  };
}

/** Asks anew for all that a preparation may have changed. */
export async function refreshPrepared(): Promise<void> {
  const filters = [trpc.links.pathFilter(), trpc.triples.pathFilter(), trpc.keyframes.pathFilter()];
  await Promise.all(filters.map((filter) => queryClient.invalidateQueries(filter)));
}
