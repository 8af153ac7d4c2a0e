import { setImmediate as breathe } from "node:timers/promises";
import { type RowPoint, readRowPoint, readTallyPoints, type TallyPoint } from "@sightline/core/alerts";
import type { StepTally } from "@sightline/core/runs";
import type { Runs } from "../runs/service.ts";

/** What rules see of a run so far. */
export type RunPoints = { upto_id: number; rows: readonly RowPoint[]; tallies: readonly TallyPoint[] };

type Kept = {
  upto_id: number;
  rows: RowPoint[];
  times: Map<number, Map<number, number>>;
  tallies: Map<string, StepTally>;
};

const ROWS_AT_ONCE = 1000;
/** Rows of all runs that are kept in memory; the runs that were looked at longest ago go first. */
const MOST_ROWS = 400_000;

/** Reads runs as rules see them, and keeps what was read, so that only what is new is read again. */
export function createPoints(runs: Pick<Runs, "rowsAfter">) {
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<RunPoints>>();

  const trim = () => {
    let total = [...kept.values()].reduce((sum, { rows }) => sum + rows.length, 0);
    for (const [run_id, { rows }] of kept) {
      if (total <= MOST_ROWS || kept.size === 1) break;
      kept.delete(run_id);
      total -= rows.length;
    }
  };

  const readOn = async (run_id: string): Promise<RunPoints> => {
    const run: Kept = kept.get(run_id) ?? { upto_id: 0, rows: [], times: new Map(), tallies: new Map() };
    kept.delete(run_id);
    kept.set(run_id, run);
    for (;;) {
      const { rows, tallies, upto_id, full } = runs.rowsAfter(run_id, run.upto_id, ROWS_AT_ONCE);
      for (const row of rows) {
        const point = readRowPoint(row);
        if (point === null) continue;
        run.rows.push(point);
        if (point.kind !== "step") continue;
        const times = run.times.get(point.attempt) ?? new Map<number, number>();
        run.times.set(point.attempt, times.set(point.step, point.time_secs));
      }
      for (const tally of tallies) run.tallies.set(`${tally.attempt}:${tally.step}`, tally);
      run.upto_id = upto_id;
      if (!full) break;
      await breathe();
    }
    trim();
    const ordered = [...run.tallies.values()].sort((a, b) => a.attempt - b.attempt || a.step - b.step);
    return { upto_id: run.upto_id, rows: run.rows, tallies: readTallyPoints(ordered, run.times) };
  };

  return {
    /** All of a run that is stored by now; one at a time goes over a run. */
    read(run_id: string): Promise<RunPoints> {
      const before = reading.get(run_id)?.catch(() => undefined) ?? Promise.resolve();
      const found = before
        .then(() => readOn(run_id))
        .finally(() => {
          if (reading.get(run_id) === found) reading.delete(run_id);
        });
      reading.set(run_id, found);
      return found;
    },
  };
}
