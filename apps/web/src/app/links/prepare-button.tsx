import { Button, Progress } from "@mantine/core";
import type { CheckedLinks } from "@sightline/core/links";
import type { LineOf } from "@sightline/core/wire";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { queryClient, trpc } from "../clients.ts";
import { useJobs } from "../jobs.ts";
import classes from "./links.module.css";

const WORDS = {
  clip: "Render this world’s clip",
  key_frames: "Select the clip’s key-frames",
  triples: "Make the clip’s triples",
} as const;

/** Makes what the way to a frame lacks, and shows how far it is; it can be cancelled. */
export function PrepareButton({
  line: { run_id, attempt, seq },
  report: { lacks, film_secs },
  onDone,
}: {
  line: Pick<LineOf<"completion">, "run_id" | "attempt" | "seq">;
  report: CheckedLinks;
  /** The way is whole: called once it is on screen. */
  onDone: () => void;
}) {
  const [job_id, setJob] = useState<string | null>(null);
  const prepare = useMutation(trpc.links.prepare.mutationOptions({ onSuccess: (job) => setJob(job.job_id) }));
  const cancel = useMutation(trpc.jobs.cancel.mutationOptions());
  const job = useJobs().find((one) => one.job_id === job_id) ?? null;
  const isOver = job !== null && job.state !== "waiting" && job.state !== "running";
  const finish = useEffectEvent(async () => {
    setJob(null);
    await Promise.all(
      [trpc.links.pathFilter(), trpc.triples.pathFilter(), trpc.keyframes.pathFilter()].map((filter) =>
        queryClient.invalidateQueries(filter),
      ),
    );
    requestAnimationFrame(onDone);
  });
  const isDone = job?.state === "done";
  useEffect(() => {
    if (isDone) void finish();
  }, [isDone]);

  if (lacks === null) return null;
  const problem =
    prepare.error?.message ?? (job?.state === "failed" ? (job.problem ?? "That did not work.") : null);
  const isWorking = prepare.isPending || (job_id !== null && !isOver);
  return (
    <div className={classes.prepare}>
      {isWorking ? (
        <>
          <Progress
            className={classes.progress}
            size="sm"
            value={job?.total ? (100 * job.done) / job.total : 100}
            animated={!job?.total || job.done >= job.total}
            aria-label="Rendering, key-frames, triples"
          />
          <Button
            size="compact-xs"
            variant="default"
            disabled={job_id === null}
            onClick={() => job_id !== null && cancel.mutate({ job_id })}
          >
            Cancel
          </Button>
        </>
      ) : (
        <Button size="compact-xs" onClick={() => prepare.mutate({ run_id, attempt, seq })}>
          {WORDS[lacks]}
        </Button>
      )}
      <span className={classes.quiet}>
        {problem ??
          (isWorking
            ? "It goes on in the background as well."
            : film_secs === null
              ? "The evidence then leads to its frames."
              : `${film_secs.toFixed(0)} s of film; the evidence then leads to its frames.`)}
      </span>
    </div>
  );
}
