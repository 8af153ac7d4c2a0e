import {
  addToBucket,
  BUCKET_WIDTHS,
  type Bucket,
  bucketIndex,
  emptyBucket,
  type MetricEntries,
} from "@sightline/core/runs";
import type Database from "better-sqlite3";

type Clock = { segment: number; last_step: number; changed: boolean };
type OpenBucket = { bucket: Bucket; changed: boolean };
type Series = { series_id: number; last_step: number; open: (OpenBucket | null)[] };
type AttemptCurves = { clocks: Map<string, Clock>; series: Map<string, Series> };

export type BucketRow = Bucket & { series_id: number; width: number; idx: number };

/** What adding a row's points showed. */
export type AddedPoints = { went_back: boolean; repeated: boolean };

/**
 * Keeps the buckets of every metric at every width as rows come in. The newest bucket of each stays in memory and is
 * written with the transaction that changed it; `forget` after a transaction that failed.
 */
export type BucketKeeper = {
  add(run_id: string, attempt: number, points: MetricEntries): AddedPoints;
  /** Writes what changed since the last time. Within the caller's transaction. */
  write(): void;
  /** Drops what is in memory: of one attempt, or of all. */
  forget(attempt?: { run_id: string; attempt: number }): void;
};

export function createBucketKeeper(db: Database.Database): BucketKeeper {
  const curves = new Map<string, AttemptCurves>();
  const changedSeries = new Set<Series>();
  const changedClocks = new Set<string>();

  const selectClocks = db.prepare<[string, number], { clock: string; segment: number; last_step: number }>(
    "SELECT clock, segment, last_step FROM metric_clocks WHERE run_id = ? AND attempt = ?",
  );
  const upsertClock = db.prepare(
    `INSERT INTO metric_clocks (run_id, attempt, clock, segment, last_step) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (run_id, attempt, clock) DO UPDATE SET segment = excluded.segment, last_step = excluded.last_step`,
  );
  const selectSeries = db.prepare<[string, number, number, string], { series_id: number }>(
    "SELECT series_id FROM metric_series WHERE run_id = ? AND attempt = ? AND segment = ? AND name = ?",
  );
  const insertSeries = db.prepare(
    "INSERT INTO metric_series (run_id, attempt, segment, name) VALUES (?, ?, ?, ?)",
  );
  const selectNewest = db.prepare<[number, number], BucketRow>(
    "SELECT * FROM metric_buckets WHERE series_id = ? AND width = ? ORDER BY idx DESC LIMIT 1",
  );
  const upsertBucket = db.prepare(
    `INSERT OR REPLACE INTO metric_buckets
       (series_id, width, idx, n, sum, first, first_step, last, last_step, min, min_step, max, max_step, gaps, pos_inf, neg_inf)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const writeBucket = (series_id: number, width: number, b: Bucket) => {
    upsertBucket.run(
      series_id,
      width,
      b.index,
      b.n,
      b.sum,
      b.first,
      b.first_step,
      b.last,
      b.last_step,
      b.min,
      b.min_step,
      b.max,
      b.max_step,
      b.gaps,
      b.pos_inf,
      b.neg_inf,
    );
  };

  const curvesOf = (run_id: string, attempt: number): AttemptCurves => {
    const key = `${attempt}:${run_id}`;
    let found = curves.get(key);
    if (!found) {
      const clocks = selectClocks
        .all(run_id, attempt)
        .map(({ clock, segment, last_step }): [string, Clock] => [
          clock,
          { segment, last_step, changed: false },
        ]);
      found = { clocks: new Map(clocks), series: new Map() };
      curves.set(key, found);
    }
    return found;
  };

  const loadSeries = (run_id: string, attempt: number, segment: number, name: string): Series => {
    const known = selectSeries.get(run_id, attempt, segment, name);
    if (!known) {
      const { lastInsertRowid } = insertSeries.run(run_id, attempt, segment, name);
      return {
        series_id: Number(lastInsertRowid),
        last_step: Number.NEGATIVE_INFINITY,
        open: BUCKET_WIDTHS.map(() => null),
      };
    }
    const open = BUCKET_WIDTHS.map((width): OpenBucket | null => {
      const row = selectNewest.get(known.series_id, width);
      return row ? { bucket: { ...row, index: row.idx }, changed: false } : null;
    });
    const newest = open[0]?.bucket;
    return {
      series_id: known.series_id,
      last_step: newest && newest.n > 0 ? newest.last_step : Number.NEGATIVE_INFINITY,
      open,
    };
  };

  return {
    add(run_id, attempt, { clock: clockName, step, entries }) {
      const { clocks, series: known } = curvesOf(run_id, attempt);
      let clock = clocks.get(clockName);
      const went_back = clock !== undefined && step < clock.last_step;
      if (!clock || went_back) {
        clock = { segment: clock ? clock.segment + 1 : 0, last_step: step, changed: true };
        clocks.set(clockName, clock);
      } else if (step > clock.last_step) {
        clock.last_step = step;
        clock.changed = true;
      }
      if (clock.changed) changedClocks.add(`${attempt}:${run_id}`);
      let repeated = false;
      for (const [name, value] of entries) {
        const key = `${clock.segment}:${name}`;
        let series = known.get(key);
        if (!series) {
          series = loadSeries(run_id, attempt, clock.segment, name);
          known.set(key, series);
        }
        if (series.last_step >= step) {
          repeated = true;
          continue;
        }
        series.last_step = step;
        for (let level = 0; level < BUCKET_WIDTHS.length; level++) {
          const width = BUCKET_WIDTHS[level] ?? 16;
          const index = bucketIndex(step, width);
          let open = series.open[level];
          if (!open || open.bucket.index !== index) {
            if (open?.changed) writeBucket(series.series_id, width, open.bucket);
            open = { bucket: emptyBucket(index), changed: true };
            series.open[level] = open;
          }
          addToBucket(open.bucket, step, value);
          open.changed = true;
        }
        changedSeries.add(series);
      }
      return { went_back, repeated };
    },

    write() {
      for (const series of changedSeries) {
        series.open.forEach((open, level) => {
          if (!open?.changed) return;
          writeBucket(series.series_id, BUCKET_WIDTHS[level] ?? 16, open.bucket);
          open.changed = false;
        });
      }
      changedSeries.clear();
      for (const key of changedClocks) {
        const at = key.indexOf(":");
        for (const [name, clock] of curves.get(key)?.clocks ?? []) {
          if (!clock.changed) continue;
          upsertClock.run(key.slice(at + 1), Number(key.slice(0, at)), name, clock.segment, clock.last_step);
          clock.changed = false;
        }
      }
      changedClocks.clear();
    },

    forget(attempt) {
      changedSeries.clear();
      changedClocks.clear();
      if (attempt) curves.delete(`${attempt.attempt}:${attempt.run_id}`);
      else curves.clear();
    },
  };
}
