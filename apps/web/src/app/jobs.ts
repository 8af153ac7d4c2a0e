import type { Job } from "@sightline/core/clips";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient } from "./clients.ts";
import { useFollow } from "./follow.ts";

const key = ["jobs", "followed"];
const none: Job[] = [];

/** All long work of the server, live. */
export function useJobs(): readonly Job[] {
  useFollow("jobs", () =>
    client.jobs.follow.subscribe(undefined, {
      onData: (jobs) => queryClient.setQueryData<Job[]>(key, jobs),
    }),
  );
  return useQuery<Job[]>({ queryKey: key, queryFn: skipToken }).data ?? none;
}
