import {
  addToBucket,
  BUCKET_WIDTHS,
  type Bucket,
  bucketIndex,
  emptyBucket,
  isClockMetric,
  type MetricEntries,
  mergeBucket,
} from "@sightline/core/runs";
import type Database from "better-sqlite3";

type OpenBucket = { bucket: Bucket; changed: boolean };
type Series = {
  series_id: number;
  last_step: number;
  /** The newest bucket of each width. */
  open: (OpenBucket | null)[];
  /** Points of one finest bucket that were not yet added to any width. */
  fresh: Bucket;
  listed: boolean;
};
type Clock = { segment: number; last_step: number; changed: boolean; series: Map<string, Series> };
type AttemptCurves = Map<string, Clock>;

const FINEST = BUCKET_WIDTHS[0];

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
  let changedSeries: Series[] = [];
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
      found = new Map(
        selectClocks
          .all(run_id, attempt)
          .map(({ clock, segment, last_step }) => [
            clock,
            { segment, last_step, changed: false, series: new Map() },
          ]),
      );
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
        fresh: emptyBucket(0),
        listed: false,
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
      fresh: emptyBucket(0),
      listed: false,
    };
  };

  /** Adds the fresh points to every width; a bucket that they leave behind is written. */
  const spread = (series: Series) => {
    const { fresh, open, series_id } = series;
    if (fresh.n + fresh.gaps + fresh.pos_inf + fresh.neg_inf === 0) return;
    for (let level = 0; level < BUCKET_WIDTHS.length; level++) {
      const width = BUCKET_WIDTHS[level] ?? FINEST;
      const index = bucketIndex(fresh.index * FINEST, width);
      let newest = open[level];
      if (!newest || newest.bucket.index !== index) {
        if (newest?.changed) writeBucket(series_id, width, newest.bucket);
        newest = { bucket: emptyBucket(index), changed: true };
        open[level] = newest;
      }
      mergeBucket(newest.bucket, fresh);
      newest.changed = true;
    }
    series.fresh = emptyBucket(fresh.index);
  };

  return {
    add(run_id, attempt, { clock: clockName, step, names, values }) {
      const clocks = curvesOf(run_id, attempt);
      let clock = clocks.get(clockName);
      const went_back = clock !== undefined && step < clock.last_step;
      if (!clock || went_back) {
        clock = { segment: clock ? clock.segment + 1 : 0, last_step: step, changed: true, series: new Map() };
        clocks.set(clockName, clock);
      } else if (step > clock.last_step) {
        clock.last_step = step;
        clock.changed = true;
      }
      if (clock.changed) changedClocks.add(`${attempt}:${run_id}`);
      const index = bucketIndex(step, FINEST);
      let repeated = false;
      for (let i = 0; i < names.length; i++) {
        const name = names[i] ?? "";
        let series = clock.series.get(name);
        if (!series) {
          series = loadSeries(run_id, attempt, clock.segment, name);
          clock.series.set(name, series);
        }
        if (series.last_step >= step) {
          if (!isClockMetric(name)) repeated = true;
          continue;
        }
        series.last_step = step;
        if (series.fresh.index !== index) {
          spread(series);
          series.fresh.index = index;
        }
        addToBucket(series.fresh, step, values[i] ?? Number.NaN);
        if (!series.listed) {
          series.listed = true;
          changedSeries.push(series);
        }
      }
      return { went_back, repeated };
    },

    write() {
      for (const series of changedSeries) {
        spread(series);
        series.listed = false;
        series.open.forEach((open, level) => {
          if (!open?.changed) return;
          writeBucket(series.series_id, BUCKET_WIDTHS[level] ?? FINEST, open.bucket);
          open.changed = false;
        });
      }
      changedSeries = [];
      for (const key of changedClocks) {
        const at = key.indexOf(":");
        for (const [name, clock] of curves.get(key) ?? []) {
          if (!clock.changed) continue;
          upsertClock.run(key.slice(at + 1), Number(key.slice(0, at)), name, clock.segment, clock.last_step);
          clock.changed = false;
        }
      }
      changedClocks.clear();
    },

    forget(attempt) {
      changedSeries = [];
      changedClocks.clear();
      if (attempt) curves.delete(`${attempt.attempt}:${attempt.run_id}`);
      else curves.clear();
    },
  };
}
