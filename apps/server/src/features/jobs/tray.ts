import { randomUUID } from "node:crypto";
import type { Job } from "@sightline/core/clips";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import { explainFailure } from "../../data-folder/explain-failure.ts";
import { type Bell, createBell } from "../../live/follow.ts";

/** How many ended jobs stay in the list. */
const ENDED_KEPT = 30;

/** Handed to the work of a job. */
export type JobControl = {
  job_id: string;
  /** Fires when a person cancels the job or the server closes. */
  signal: AbortSignal;
  /** Says that work has begun; until then the job is waiting. */
  begin(): void;
  progress(done: number, total: number | null): void;
};

/**
 * Long work that a person can watch and cancel.
 *
 * The list lives in memory. What must survive the server is a state in a feature's own table, from which the feature
 * starts the job again.
 */
export type Jobs = {
  /**
   * Starts work. It ends as done, as cancelled when it was told to stop, or as failed with the error's message.
   *
   * @returns The job as it stands at once, and a promise that settles, without throwing, when it has ended.
   */
  start(
    about: Pick<Job, "kind" | "title" | "clip_id">,
    work: (control: JobControl) => Promise<void>,
  ): { job: Job; ended: Promise<Job> };
  /** Running and waiting jobs, and the last that ended; oldest first. */
  list(): Job[];
  cancel(job_id: string): void;
  /** Rings at every change of the list. */
  bell: Bell;
  /** True once the server goes down: what ends now was not ended by a person. */
  readonly isClosing: boolean;
  /** Stops all work and waits for its end. */
  close(): Promise<void>;
};

export function createJobs(log: Logger): Jobs {
  const jobs = new Map<string, { job: Job; stop: AbortController; ended: Promise<Job> }>();
  const bell = createBell();
  let isClosing = false;
  const isOver = ({ state }: Job) => state !== "waiting" && state !== "running";

  const forgetOld = () => {
    const over = [...jobs.values()].filter(({ job }) => isOver(job));
    for (const { job } of over.slice(0, Math.max(0, over.length - ENDED_KEPT))) jobs.delete(job.job_id);
  };

  return {
    bell,
    start(about, work) {
      const job: Job = {
        ...about,
        job_id: randomUUID(),
        state: "waiting",
        done: 0,
        total: null,
        problem: null,
      };
      const stop = new AbortController();
      const change = (fields: Partial<Job>) => {
        Object.assign(job, fields);
        bell.ring();
      };
      const control: JobControl = {
        job_id: job.job_id,
        signal: stop.signal,
        begin: () => change({ state: "running" }),
        progress: (done, total) => change({ state: "running", done, total }),
      };
      const ended = work(control)
        .then(() => change({ state: "done" }))
        .catch((error: unknown) => {
          if (stop.signal.aborted) return change({ state: "cancelled" });
          log.error({ err: error, job: about }, "a job failed");
          change({ state: "failed", problem: explainFailure(error) });
        })
        .then(() => {
          forgetOld();
          return job;
        });
      jobs.set(job.job_id, { job, stop, ended });
      bell.ring();
      return { job: { ...job }, ended };
    },
    list: () => [...jobs.values()].map(({ job }) => ({ ...job })),
    cancel(job_id) {
      const entry = jobs.get(job_id);
      if (!entry) throw new TRPCError({ code: "NOT_FOUND", message: "This job is no longer in the list." });
      entry.stop.abort(new DOMException("cancelled", "AbortError"));
    },
    get isClosing() {
      return isClosing;
    },
    async close() {
      isClosing = true;
      for (const { stop } of jobs.values()) stop.abort(new DOMException("closing", "AbortError"));
      await Promise.all([...jobs.values()].map(({ ended }) => ended));
    },
  };
}
