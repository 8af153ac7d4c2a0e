import {
  BUCKET_WIDTHS,
  type Bucket,
  bucketPoints,
  bucketRows,
  clockOfName,
  coarsen,
  type HistorySeries,
  lastStepKept,
  metricEntries,
  type OverlayLine,
  type QuarantinedLine,
  type RunNote,
  type RunRow,
  type StepTally,
  TALLY_RATES,
  toColumns,
  X_METRICS,
} from "@sightline/core/runs";
import { type LineOf, readAcceptedLine, type WireNumber } from "@sightline/core/wire";
import type { Db } from "../../db/open.ts";

/** What ingest stored, read: lines, buckets, tallies, completions, quarantine, notes. */
export type LineStore = ReturnType<typeof createLineStore>;

type RawRow = { id: number; raw: string };
type SeriesRow = { series_id: number; attempt: number; segment: number; name: string };
/** A bucket as it is read: a page needs thousands, and arrays come twice as fast as objects. */
type BucketRow = [
  index: number,
  n: number,
  sum: number,
  first: number,
  first_step: number,
  last: number,
  last_step: number,
  min: number,
  min_step: number,
  max: number,
  max_step: number,
  gaps: number,
  pos_inf: number,
  neg_inf: number,
];
const JSON_COLUMNS = ["tasks", "letters", "golds", "rules", "judges"] as const;
type JsonColumn = (typeof JSON_COLUMNS)[number];
type TallyRow = Omit<StepTally, JsonColumn> & Record<JsonColumn, string> & { change_id: number };
type KnownAttempt = { attempt: number; resume_step: number | null; first_step: number | null };

const SYSTEM_ROWS = 360;
const EXCERPT = 400;

const toRow = ({ id, raw }: RawRow): RunRow => ({ id, line: readAcceptedLine(raw) });
const toTally = ({ change_id: _, ...row }: TallyRow): StepTally => ({
  ...row,
  tasks: JSON.parse(row.tasks),
  letters: JSON.parse(row.letters),
  golds: JSON.parse(row.golds),
  rules: JSON.parse(row.rules),
  judges: JSON.parse(row.judges),
});

function toBucket(row: BucketRow): Bucket {
  const [
    index,
    n,
    sum,
    first,
    first_step,
    last,
    last_step,
    min,
    min_step,
    max,
    max_step,
    gaps,
    pos_inf,
    neg_inf,
  ] = row;
  return {
    index,
    n,
    sum,
    first,
    first_step,
    last,
    last_step,
    min,
    min_step,
    max,
    max_step,
    gaps,
    pos_inf,
    neg_inf,
  };
}

function toMeans(buckets: readonly Bucket[]): NonNullable<OverlayLine["basis"]> {
  const measured = buckets.filter(({ n }) => n > 0);
  return {
    steps: measured.map(({ first_step, last_step }) => (first_step + last_step) / 2),
    means: measured.map(({ sum, n }) => Number((sum / n).toPrecision(7))),
    counts: measured.map(({ n }) => n),
  };
}

/** @param db  The open database, migrated. */
export function createLineStore(db: Db) {
  const sql = db.$client;
  const selectMaxId = sql.prepare<[], { id: number | null }>("SELECT max(id) AS id FROM run_lines");
  const selectAfter = sql.prepare<[string, number, number], { id: number }>(
    "SELECT id FROM run_lines WHERE run_id = ? AND stream = 'events' AND id > ? ORDER BY id LIMIT ?",
  );
  const selectRaw = sql.prepare<[number], RawRow>("SELECT id, raw FROM run_lines WHERE id = ?");
  const selectCount = sql.prepare<[string, number], { n: number }>(
    "SELECT count(*) AS n FROM (SELECT 1 FROM run_lines WHERE run_id = ? AND stream = 'events' LIMIT ?)",
  );
  const countLines = sql.prepare<[string], { n: number }>(
    "SELECT count(*) AS n FROM run_lines WHERE run_id = ?",
  );
  const selectMarks = sql.prepare<[string], RawRow & { step: number | null }>(
    `SELECT id, raw, step FROM run_lines WHERE run_id = ? AND stream = 'events'
       AND type NOT IN ('metrics', 'generation', 'system', 'phase') ORDER BY id`,
  );
  const selectStepBefore = sql.prepare<[string, number], { step: number }>(
    `SELECT step FROM run_lines WHERE run_id = ? AND stream = 'events' AND id < ? AND type = 'metrics'
     ORDER BY id DESC LIMIT 1`,
  );
  const selectNewestOf = sql.prepare<[string, string, number], RawRow>(
    `SELECT id, raw FROM run_lines WHERE run_id = ? AND type = ? AND stream = 'events' AND step IS NULL
     ORDER BY id DESC LIMIT ?`,
  );
  const selectOfType = sql.prepare<[string, string], RawRow>(
    // `+id`: for an order by id alone SQLite would walk every line of the run, rather than those of the type.
    "SELECT id, raw FROM run_lines WHERE run_id = ? AND type = ? AND stream = 'events' ORDER BY +id",
  );
  const selectLastError = sql.prepare<[string, number], RawRow>(
    `SELECT id, raw FROM run_lines WHERE run_id = ? AND attempt = ? AND stream = 'events' AND type = 'error'
     ORDER BY id DESC LIMIT 1`,
  );
  const selectTallies = sql.prepare<[string, number, number], TallyRow>(
    "SELECT * FROM step_tallies WHERE run_id = ? AND change_id > ? AND change_id <= ? ORDER BY change_id",
  );
  const selectAllTallies = sql.prepare<[string], TallyRow>(
    "SELECT * FROM step_tallies WHERE run_id = ? ORDER BY attempt, step",
  );
  const selectSeries = sql.prepare<[string], SeriesRow>(
    "SELECT series_id, attempt, segment, name FROM metric_series WHERE run_id = ? ORDER BY attempt, segment, name",
  );
  const selectNamed = sql.prepare<[string, string], SeriesRow>(
    "SELECT series_id, attempt, segment, name FROM metric_series WHERE run_id = ? AND name = ? ORDER BY attempt, segment",
  );
  const selectNames = sql.prepare<[string], { name: string }>(
    "SELECT DISTINCT name FROM metric_series WHERE run_id = ? ORDER BY name",
  );
  const selectBuckets = sql
    .prepare<[number, number, number, number], BucketRow>(
      `SELECT idx, n, sum, first, first_step, last, last_step, min, min_step, max, max_step, gaps, pos_inf, neg_inf
       FROM metric_buckets WHERE series_id = ? AND width = ? AND idx BETWEEN ? AND ? ORDER BY idx`,
    )
    .raw();
  const selectSpan = sql.prepare<[number, number], { low: number | null; high: number | null }>(
    // Two look-ups: asked for at once, min and max read every bucket of the series.
    `SELECT (SELECT min(idx) FROM metric_buckets WHERE series_id = s AND width = w) AS low,
            (SELECT max(idx) FROM metric_buckets WHERE series_id = s AND width = w) AS high
     FROM (SELECT ? AS s, ? AS w)`,
  );
  const selectSteps = sql.prepare<[string, string, number, number], RawRow>(
    `SELECT id, raw FROM run_lines WHERE run_id = ? AND type = ? AND stream = 'events' AND step BETWEEN ? AND ?
     ORDER BY id`,
  );
  const selectCompletions = sql.prepare<[string, number], RawRow>(
    `SELECT l.id, l.raw FROM completions c JOIN run_lines l ON l.id = c.id
     WHERE c.run_id = ? AND c.step = ? ORDER BY c.attempt, c.gen, c.group_id, c.k`,
  );
  const selectRates = new Map(
    Object.entries(TALLY_RATES).map(([name, [part, whole]]) => [
      name,
      sql.prepare<[string, number, number, number, number], { step: number; rate: number }>(
        `SELECT min(step) AS step, 1.0 * sum(${part}) / sum(${whole}) AS rate FROM step_tallies
         WHERE run_id = ? AND attempt = ? AND step BETWEEN ? AND ? GROUP BY step / CAST(? AS INTEGER)
         HAVING sum(${whole}) > 0 ORDER BY 1`,
      ),
    ]),
  );
  const selectTallied = sql.prepare<[string, number], { first: number | null; last: number | null }>(
    "SELECT min(step) AS first, max(step) AS last FROM step_tallies WHERE run_id = ? AND attempt = ?",
  );
  const countQuarantined = sql.prepare<[string], { n: number }>(
    "SELECT count(*) AS n FROM quarantined_lines WHERE run_id = ?",
  );
  const selectQuarantined = sql.prepare<[string], Omit<QuarantinedLine, "excerpt"> & { raw: Buffer }>(
    `SELECT attempt, file, byte_offset, bytes, reason, raw FROM quarantined_lines WHERE run_id = ?
     ORDER BY attempt, file, byte_offset LIMIT 100`,
  );
  const selectNotes = sql.prepare<[string], RunNote>(
    "SELECT attempt, code, count, message FROM run_notes WHERE run_id = ? ORDER BY attempt, code",
  );

  /** Points of one series between two steps, from the lines themselves. */
  const rawPoints = (run_id: string, series: SeriesRow, from: number, to: number) => {
    const steps: number[] = [];
    const values: number[] = [];
    const clock = clockOfName(series.name);
    // Which segment a row belongs to shows only by walking its attempt from the start.
    const isSplit = series.segment > 0 || hasLaterSegment(run_id, series);
    const range = isSplit ? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] : [from, to];
    const rows = selectSteps.all(
      run_id,
      clock === "generation" ? clock : "metrics",
      range[0] ?? 0,
      range[1] ?? 0,
    );
    let segment = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const row of rows) {
      const line = readAcceptedLine(row.raw);
      const points = line.attempt === series.attempt ? metricEntries(line) : null;
      if (!points || points.clock !== clock) continue;
      if (points.step < last) segment += 1;
      last = points.step;
      const value = points.values[points.names.indexOf(series.name)];
      if (value === undefined || segment !== series.segment || points.step < from || points.step > to)
        continue;
      if (steps.at(-1) === points.step) continue;
      steps.push(points.step);
      values.push(value);
    }
    return { steps, values };
  };

  const hasLaterSegment = (run_id: string, { attempt, segment, name }: SeriesRow) =>
    selectNamed.all(run_id, name).some((other) => other.attempt === attempt && other.segment > segment);

  /**
   * Buckets of one series over a range of steps. The bucket that holds `cut` is split there, so that what was rolled
   * back and what counts are never mixed.
   */
  const bucketsBetween = (
    run_id: string,
    series: SeriesRow,
    width: number,
    from: number,
    to: number,
    cut: number,
  ): { counting: Bucket[]; rolled_back: Bucket[] } => {
    const kept = BUCKET_WIDTHS.filter((known) => known <= width).at(-1);
    let buckets: Bucket[];
    if (kept === undefined) {
      const { steps, values } = rawPoints(run_id, series, from, to);
      buckets = bucketRows(steps, values, width);
    } else {
      const rows = selectBuckets.all(
        series.series_id,
        kept,
        Math.floor(Math.max(from, -1e12) / kept),
        Math.floor(Math.min(to, 1e12) / kept),
      );
      const exact = rows.map(toBucket);
      buckets = kept === width ? exact : coarsen(exact, kept, width);
    }
    const counting: Bucket[] = [];
    const rolled_back: Bucket[] = [];
    for (const bucket of buckets) {
      const start = bucket.index * width;
      const end = start + width - 1;
      if (end <= cut) counting.push(bucket);
      else if (start > cut) rolled_back.push(bucket);
      else {
        const { steps, values } = rawPoints(run_id, series, start, end);
        const at = steps.findIndex((step) => step > cut);
        const split = at < 0 ? steps.length : at;
        counting.push(...bucketRows(steps.slice(0, split), values.slice(0, split), width));
        rolled_back.push(...bucketRows(steps.slice(split), values.slice(split), width));
      }
    }
    return { counting, rolled_back };
  };

  /** A rate of the tallies as one line an attempt: summed over as many steps as keep it to `points`. */
  const rateLines = (
    run_id: string,
    name: string,
    points: number,
    attempts: readonly KnownAttempt[],
    range: { from_step: number; to_step: number },
  ): OverlayLine[] =>
    attempts.flatMap(({ attempt }) => {
      const { first, last } = selectTallied.get(run_id, attempt) ?? { first: null, last: null };
      if (first === null || last === null) return [];
      const from = Math.max(first, range.from_step);
      const to = Math.min(last, range.to_step, lastStepKept(attempts, attempt));
      const width = 2 ** Math.max(0, Math.ceil(Math.log2((to - from + 1) / points)));
      const rows = selectRates.get(name)?.all(run_id, attempt, from, to, width) ?? [];
      if (rows.length === 0) return [];
      const values = rows.map(({ rate }) => Number(rate.toPrecision(7)));
      return [{ run_id, name, steps: rows.map(({ step }) => step), values }];
    });

  return {
    maxId: (): number => selectMaxId.get()?.id ?? 0,

    /** Event lines of several runs behind an id, in order, and the tallies that changed up to the last of them. */
    after(run_ids: readonly string[], last_id: number, limit: number) {
      const ids = run_ids
        .flatMap((run_id) => selectAfter.all(run_id, last_id, limit).map(({ id }) => id))
        .sort((a, b) => a - b)
        .slice(0, limit);
      const full = ids.length === limit;
      const upto_id = full ? (ids.at(-1) ?? last_id) : Math.max(last_id, selectMaxId.get()?.id ?? 0);
      const rows = ids.flatMap((id) => {
        const row = selectRaw.get(id);
        return row ? [toRow(row)] : [];
      });
      const tallies = run_ids.flatMap((run_id) => selectTallies.all(run_id, last_id, upto_id).map(toTally));
      return { rows, tallies, upto_id, full };
    },

    hasMoreThan: (run_id: string, rows: number): boolean =>
      (selectCount.get(run_id, rows + 1)?.n ?? 0) > rows,

    countLines: (run_id: string): number => countLines.get(run_id)?.n ?? 0,

    allRows: (run_id: string): RunRow[] =>
      selectAfter
        .all(run_id, 0, Number.MAX_SAFE_INTEGER)
        .flatMap(({ id }) => selectRaw.get(id) ?? [])
        .map(toRow),

    /** Every row that is not a metric, with the newest phase and system rows, in order. */
    marks(run_id: string): RunRow[] {
      const marks = selectMarks.all(run_id).map((row): RunRow => {
        const at_step = row.step ?? selectStepBefore.get(run_id, row.id)?.step;
        return at_step === undefined ? toRow(row) : { ...toRow(row), at_step };
      });
      const newest = [
        ...selectNewestOf.all(run_id, "phase", 1),
        ...selectNewestOf.all(run_id, "system", SYSTEM_ROWS),
      ];
      return [...marks, ...newest.map(toRow)].sort((a, b) => a.id - b.id);
    },

    linesOf<T extends "stage" | "checkpoint" | "config">(run_id: string, type: T): LineOf<T>[] {
      return selectOfType.all(run_id, type).map(({ raw }) => readAcceptedLine(raw) as LineOf<T>);
    },

    newestPhase(run_id: string): LineOf<"phase"> | null {
      const row = selectNewestOf.get(run_id, "phase", 1);
      return row ? (readAcceptedLine(row.raw) as LineOf<"phase">) : null;
    },

    lastError(run_id: string, attempt: number): LineOf<"error"> | null {
      const row = selectLastError.get(run_id, attempt);
      return row ? (readAcceptedLine(row.raw) as LineOf<"error">) : null;
    },

    metricNames: (run_id: string): string[] => selectNames.all(run_id).map(({ name }) => name),

    tallies: (run_id: string): StepTally[] => selectAllTallies.all(run_id).map(toTally),

    /** All metrics of a run (or those named) in at most `points` buckets each. */
    history(
      run_id: string,
      points: number,
      attempts: readonly KnownAttempt[],
      names: ReadonlySet<string> | null,
    ): { series: HistorySeries[]; width: number } {
      const all = selectSeries.all(run_id).filter(({ name }) => names === null || names.has(name));
      const finest = BUCKET_WIDTHS[0];
      let steps = 0;
      for (const { series_id } of all) {
        const span = selectSpan.get(series_id, finest);
        if (span?.low === null || span?.low === undefined || span.high === null) continue;
        steps = Math.max(steps, (span.high - span.low + 1) * finest);
      }
      const width = BUCKET_WIDTHS.find((known) => steps / known <= points) ?? BUCKET_WIDTHS.at(-1) ?? finest;
      const series = all.map((row): HistorySeries => {
        const cut = lastStepKept(attempts, row.attempt);
        const { counting, rolled_back } = bucketsBetween(run_id, row, width, -1e12, 1e12, cut);
        const { attempt, segment, name } = row;
        return { attempt, segment, name, buckets: toColumns([...counting, ...rolled_back], width) };
      });
      return { series, width };
    },

    /** One metric between two steps in at most `points` buckets, every point where they are few. */
    window(
      request: { run_id: string; name: string; from_step: number; to_step: number; points: number },
      attempts: readonly KnownAttempt[],
    ): (HistorySeries & { rolled_back: boolean })[] {
      const { run_id, name, from_step, to_step, points } = request;
      const span = Math.max(1, to_step - from_step);
      const width = 2 ** Math.max(0, Math.ceil(Math.log2(span / points)));
      return selectNamed.all(run_id, name).flatMap((row) => {
        const cut = lastStepKept(attempts, row.attempt);
        const parts = bucketsBetween(run_id, row, width, from_step, to_step, cut);
        return (["counting", "rolled_back"] as const).flatMap((part) =>
          parts[part].length === 0
            ? []
            : [
                {
                  attempt: row.attempt,
                  segment: row.segment,
                  name,
                  buckets: toColumns(parts[part], width),
                  rolled_back: part === "rolled_back",
                },
              ],
        );
      });
    },

    /** Metrics of a run as they are drawn beside those of others; what was rolled back is left out. */
    overlay(
      run_id: string,
      names: readonly string[],
      points: number,
      attempts: readonly KnownAttempt[],
      range: { from_step: number; to_step: number } = { from_step: -1e12, to_step: 1e12 },
      has_means = false,
    ): OverlayLine[] {
      return names.flatMap((name) => {
        if (selectRates.has(name)) return rateLines(run_id, name, points, attempts, range);
        return selectNamed.all(run_id, name).flatMap((row) => {
          const { low, high } = selectSpan.get(row.series_id, BUCKET_WIDTHS[0]) ?? { low: null, high: null };
          const finest = BUCKET_WIDTHS[0];
          const first = Math.max(range.from_step, (low ?? 0) * finest);
          const steps = Math.max(0, Math.min(range.to_step, ((high ?? -1) + 1) * finest) - first);
          const width =
            steps <= points
              ? 1
              : (BUCKET_WIDTHS.find((known) => steps / known <= points) ?? BUCKET_WIDTHS[5]);
          const cut = lastStepKept(attempts, row.attempt);
          const { counting } = bucketsBetween(run_id, row, width, range.from_step, range.to_step, cut);
          if (counting.length === 0) return [];
          const drawn = bucketPoints(toColumns(counting, width));
          // UTC seconds take ten digits before their point.
          const digits = name === X_METRICS.time ? 13 : 7;
          const values = drawn.values.map((value) =>
            Number.isFinite(value) ? Number(value.toPrecision(digits)) : (String(value) as WireNumber),
          );
          const basis = has_means && width > 1 ? { basis: toMeans(counting) } : {};
          return [{ run_id, name, steps: drawn.steps, values, ...basis }];
        });
      });
    },

    completions: (run_id: string, step: number): LineOf<"completion">[] =>
      selectCompletions.all(run_id, step).map(({ raw }) => readAcceptedLine(raw) as LineOf<"completion">),

    quarantined(run_id: string): { count: number; lines: QuarantinedLine[] } {
      return {
        count: countQuarantined.get(run_id)?.n ?? 0,
        lines: selectQuarantined
          .all(run_id)
          .map(({ raw, ...row }) => ({ ...row, excerpt: raw.toString("utf8").slice(0, EXCERPT) })),
      };
    },

    notes: (run_id: string): RunNote[] => selectNotes.all(run_id),
  };
}
