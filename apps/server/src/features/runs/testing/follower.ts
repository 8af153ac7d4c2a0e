import {
  appendBatch,
  type FollowBatch,
  metricPaths,
  type RunSeries,
  type RunSummary,
} from "@sightline/core/runs";
import type { Client } from "./client.ts";

/** Follows runs as a page does, and remembers every id so that gaps and doubles show. */
export type Follower = {
  series(run_id: string): RunSeries | undefined;
  run(run_id: string): RunSummary | undefined;
  /** Ids of rows in the order of their coming. */
  ids: number[];
  /** How often the connection was begun. */
  connections(): number;
  /** Waits until `test` holds. */
  until(what: string, test: (follower: Follower) => boolean, ms?: number): Promise<void>;
  /** Called with each batch when it arrives. */
  onBatch: ((batch: FollowBatch) => void) | null;
  stop(): void;
};

export function followRuns(client: Client, run_ids: string[]): Follower {
  let runs: ReadonlyMap<string, RunSeries> = new Map();
  const states = new Map<string, RunSummary>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const subscription = client.runs.follow.subscribe(
    { run_ids },
    {
      onStarted: () => {
        connections += 1;
      },
      onData({ data }) {
        if (data.kind === "state") for (const run of data.runs) states.set(run.run_id, run);
        if (data.kind === "rows") for (const row of data.rows) follower.ids.push(row.id);
        // An opening holds the whole past, in place of what came before.
        if (data.kind === "history")
          follower.ids = data.histories.flatMap(({ rows }) => rows.map((row) => row.id));
        runs = appendBatch(runs, data);
        follower.onBatch?.(data);
        for (const check of waiting) check();
      },
    },
  );
  const follower: Follower = {
    ids: [],
    onBatch: null,
    series: (run_id) => runs.get(run_id),
    run: (run_id) => states.get(run_id),
    connections: () => connections,
    until(what, test, ms = 90_000) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!test(follower)) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          const seen = run_ids.map((run_id) => {
            const run = states.get(run_id);
            return `${run_id} ${run?.state} ${run?.problem ?? ""} step ${runs.get(run_id)?.step}`;
          });
          reject(new Error(`not within ${ms} ms: ${what}; ${seen.join("; ")}`));
        }, ms);
        waiting.add(check);
        check();
      });
    },
    stop: () => subscription.unsubscribe(),
  };
  return follower;
}

/** Steps that count, over all attempts, in the order of the paths. */
export function stepsInForce(series: RunSeries | undefined, name = "reward"): number[] {
  if (!series) return [];
  return metricPaths(series, name)
    .filter((path) => !path.rolled_back)
    .flatMap((path) => [...path.steps]);
}

/** 1 to n. */
export function oneTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}
