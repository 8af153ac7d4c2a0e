import type { Job } from "@sightline/core/clips";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient } from "./clients.ts";
import { followSoon, useFollow } from "./follow.ts";

const key = ["jobs", "followed"];
const none: Job[] = [];

const start = () =>
  client.jobs.follow.subscribe(undefined, {
    onData: (jobs) => queryClient.setQueryData<Job[]>(key, jobs),
  });

/** Opens the stream of jobs with those of a page that is on its way: one that came later would cost a new connection. */
export function followJobsSoon(): void {
  followSoon("jobs", start);
}

/** All long work of the server, live. */
export function useJobs(): readonly Job[] {
  useFollow("jobs", start);
  return useQuery<Job[]>({ queryKey: key, queryFn: skipToken }).data ?? none;
}
