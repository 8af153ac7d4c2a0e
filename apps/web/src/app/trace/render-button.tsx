import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryClient, trpc } from "../clients.ts";
import { useJobs } from "../jobs.ts";
import { notifyFailure } from "../notify.tsx";
import type { PicturedLine } from "./use-pictures.ts";

/** Renders the world of a question as a clip of the library, with its key-frames and triples; the tray shows how far it is. */
export function RenderButton({ line: { run_id, attempt, seq } }: { line: PicturedLine }) {
  const [job_id, setJob] = useState<string | null>(null);
  const prepare = useMutation(
    trpc.links.prepare.mutationOptions({
      onSuccess: (job) => setJob(job.job_id),
      onError: (error) => notifyFailure("The world was not rendered", error),
    }),
  );
  const job = useJobs().find((one) => one.job_id === job_id) ?? null;
  const isOver = job !== null && job.state !== "waiting" && job.state !== "running";
  useEffect(() => {
    if (!isOver) return;
    for (const filter of [trpc.links.pathFilter(), trpc.triples.pathFilter(), trpc.keyframes.pathFilter()])
      void queryClient.invalidateQueries(filter);
  }, [isOver]);
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={prepare.isPending || (job_id !== null && !isOver)}
      onClick={() => prepare.mutate({ run_id, attempt, seq })}
    >
      Render this world as a clip
    </Button>
  );
}
