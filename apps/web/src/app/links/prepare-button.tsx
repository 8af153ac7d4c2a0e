import { Button, Progress } from "@mantine/core";
import type { CheckedLinks } from "@sightline/core/links";
import type { LineOf } from "@sightline/core/wire";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { trpc } from "../clients.ts";
import classes from "./links.module.css";
import { refreshPrepared, usePreparation } from "./use-preparation.ts";

const WORDS = {
  clip: "Render this world’s clip",
  key_frames: "Select the clip’s key-frames",
  triples: "Make the clip’s triples",
} as const;

/** Makes what the way to a frame lacks, and shows how far it is; it can be cancelled. */
export function PrepareButton({
  line,
  report: { lacks, film_secs },
  onDone,
}: {
  line: Pick<LineOf<"completion">, "run_id" | "attempt" | "seq">;
  report: CheckedLinks;
  /** The way is whole; it is asked for anew. */
  onDone: () => void;
}) {
  const { start, forget, error, job_id, job, isWorking } = usePreparation(line);
  const cancel = useMutation(trpc.jobs.cancel.mutationOptions());
  const finish = useEffectEvent(async () => {
    onDone();
    forget();
    await refreshPrepared();
  });
  const isDone = job?.state === "done";
  useEffect(() => {
    if (isDone) void finish();
  }, [isDone]);

  if (lacks === null) return null;
  const problem = error?.message ?? (job?.state === "failed" ? (job.problem ?? "That did not work.") : null);
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
        <Button size="compact-xs" onClick={start}>
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
