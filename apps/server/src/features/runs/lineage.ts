import type { LineageRun, RunSpec } from "@sightline/core/runs";
import { formatRatio } from "@sightline/core/schedules";
import type { RunRecord } from "./schema.ts";
import type { RunStore } from "./store.ts";

const MOST = 500;

/** The run, all that it comes from, and all that come from those; parents before their forks. */
export function findLineage(store: RunStore, run: RunRecord): LineageRun[] {
  let root = run;
  const above = new Set([run.run_id]);
  while (root.forked_from_run_id !== null && !above.has(root.forked_from_run_id)) {
    const parent = store.get(root.forked_from_run_id);
    if (!parent) break;
    above.add(parent.run_id);
    root = parent;
  }
  const found = [root];
  const seen = new Set([root.run_id]);
  for (let at = 0; at < found.length && found.length < MOST; at++) {
    for (const fork of store.forksOf(found[at]?.run_id ?? "")) {
      if (seen.has(fork.run_id)) continue;
      seen.add(fork.run_id);
      found.push(fork);
    }
  }
  return found.map((one) => describe(one, seen));
}

function describe(run: RunRecord, known: ReadonlySet<string>): LineageRun {
  const { stages } = JSON.parse(run.spec) as RunSpec;
  const parent = run.forked_from_run_id;
  return {
    run_id: run.run_id,
    name: run.name,
    state: run.state,
    seed: run.seed,
    simulated: run.simulated,
    is_trashed: run.trashed_secs !== null,
    step: run.step,
    forked_from:
      parent !== null && known.has(parent) ? { run_id: parent, step: run.forked_from_step ?? 0 } : null,
    schedule: stages.map(({ weights }) => formatRatio(weights)).join(" → "),
  };
}
