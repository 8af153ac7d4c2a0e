import { metricEntries } from "@sightline/core/runs";
import { getTagFaults } from "@sightline/core/traces";
import {
  type LineOf,
  MAX_LINE_BYTES,
  parseLine,
  toNumber,
  type UnknownLine,
  type WireLine,
  type WireNumber,
} from "@sightline/core/wire";
import type { Db } from "../db/open.ts";
import type { AttemptRef, Chunk, StreamCursor } from "../executors/executor.ts";
import { createBucketKeeper } from "./buckets.ts";
import { type RawLine, splitLines } from "./lines.ts";

/**
 * From bytes to rows, exactly once: whatever is read again after a crash, a cut or a replaced file falls on
 * (run_id, attempt, stream, seq) that is there already. Rows, buckets, tallies and the read position move in one
 * transaction, so none of them can be ahead of another.
 */
export type Ingest = {
  /** Takes chunks in; all of them or, when it throws, none. */
  apply(chunks: readonly Chunk[]): Ingested;
  /** Where to read on; streams that have ended are left out. */
  cursors(ref: AttemptRef): StreamCursor[];
  /** True when all streams of the attempt were read to their end. */
  isReadOut(ref: AttemptRef): boolean;
  /** Lets go of what is kept in memory for an attempt that has ended, and notes rows that never came. */
  finish(ref: AttemptRef): void;
};

/** What came of chunks. */
export type Ingested = {
  run_ids: Set<string>;
  /** New lines; those that were there already are not counted. */
  rows: number;
  ended: AttemptRef[];
  /** The newest training step of each run that reached one, and when the host's clock said so. */
  progress: Map<string, { attempt: number; step: number; time_secs: number }>;
};

const STREAMS = ["events", "completions"] as const;
const QUARANTINE_BYTES = 65_536;

const NOTES = {
  file_replaced:
    "The file of a stream was replaced; it was read again from its start, known rows were left out.",
  file_shrunk:
    "The file of a stream got shorter; it was read again from its start, known rows were left out.",
  duplicate_rows: "Rows that repeat a step of their metric; the first one counts.",
  step_went_back: "Steps went back within an attempt; a new segment begins there, nothing was dropped.",
  gap_in_seq: "Lines that are missing between others of the same stream.",
  loose_json: "Lines with bare NaN or Infinity, which is no legal JSON; they were read all the same.",
  text_numbers: "Lines with numbers written as text; they were read as numbers.",
} as const;
type NoteCode = keyof typeof NOTES;

type RunChange = { step: number | null; max_steps: number | null; stage: string | null };
type AttemptChange = { run_id: string; attempt: number; first_step: number | null; last_step: number | null };

/**
 * @param db  The open database, migrated.
 * @param hooks.before_commit  Called within each transaction when all is written; for tests that die there.
 */
export function createIngest(db: Db, hooks: { before_commit?: () => void } = {}): Ingest {
  const sql = db.$client;
  const buckets = createBucketKeeper(sql);

  const insertLine = sql.prepare(
    `INSERT INTO run_lines (run_id, attempt, stream, seq, type, step, raw) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, attempt, stream, seq) DO NOTHING`,
  );
  const insertCompletion = sql.prepare(
    `INSERT INTO completions (id, run_id, attempt, gen, step, stage, group_id, question_id, clip_id, task, k, gold, letter,
       finish, tokens, reward, advantage, format, accuracy, consistency, judge_status, judge_agrees, split,
       rule, tag_faults)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertQuarantined = sql.prepare(
    `INSERT INTO quarantined_lines (run_id, attempt, file, inode, byte_offset, bytes, reason, raw)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const upsertNote = sql.prepare(
    `INSERT INTO run_notes (run_id, attempt, code, count, message) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (run_id, attempt, code) DO UPDATE SET count = count + excluded.count`,
  );
  const upsertCursor = sql.prepare(
    `INSERT INTO read_cursors (run_id, attempt, stream, segment, byte_offset, inode, ended) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, attempt, stream) DO UPDATE SET
       segment = excluded.segment, byte_offset = excluded.byte_offset, inode = excluded.inode, ended = excluded.ended`,
  );
  const selectCursors = sql.prepare<
    [string, number],
    { stream: string; segment: number; byte_offset: number; inode: number | null; ended: number }
  >("SELECT stream, segment, byte_offset, inode, ended FROM read_cursors WHERE run_id = ? AND attempt = ?");
  const updateStart = sql.prepare(
    "UPDATE attempts SET resume_step = ?, device = ?, versions = ? WHERE run_id = ? AND attempt = ?",
  );
  const updateEnd = sql.prepare(
    "UPDATE attempts SET reason = ?, exit_code = ? WHERE run_id = ? AND attempt = ?",
  );
  const updateAttemptSteps = sql.prepare(
    `UPDATE attempts SET first_step = min(coalesce(first_step, @first), @first), last_step = @last
     WHERE run_id = @run_id AND attempt = @attempt`,
  );
  const updateRun = sql.prepare(
    `UPDATE runs SET step = coalesce(?, step), max_steps = coalesce(?, max_steps), stage = coalesce(?, stage)
     WHERE run_id = ?`,
  );
  const selectTally = sql.prepare<[string, number, number], TallyRow>(
    `SELECT count(*) AS n,
       sum(coalesce(accuracy, 0) >= 1) AS correct,
       sum(coalesce(accuracy, 0) >= 1 AND judge_agrees IS NOT NULL) AS judged,
       sum(coalesce(accuracy, 0) >= 1 AND coalesce(judge_agrees, 0) = 1) AS agreed,
       sum(finish = 'length') AS clipped,
       sum(tokens) AS tokens
     FROM completions WHERE run_id = ? AND step = ? AND attempt = ? AND split = 'train'`,
  );
  const selectGroups = sql.prepare<
    [string, number, number],
    { groups: number; tied: number | null; tied_right: number | null; tied_wrong: number | null }
  >(
    `SELECT count(*) AS groups, sum(size > 1 AND low = high) AS tied,
       sum(size > 1 AND low = high AND scored = size AND worst >= 1) AS tied_right,
       sum(size > 1 AND low = high AND scored = size AND best < 1) AS tied_wrong
     FROM (
       SELECT count(*) AS size, min(reward) AS low, max(reward) AS high,
         min(accuracy) AS worst, max(accuracy) AS best, count(accuracy) AS scored
       FROM completions WHERE run_id = ? AND step = ? AND attempt = ? AND split = 'train' GROUP BY group_id)`,
  );
  const selectTasks = sql.prepare<[string, number, number], { task: string; n: number; correct: number }>(
    `SELECT task, count(*) AS n, sum(coalesce(accuracy, 0) >= 1) AS correct
     FROM completions WHERE run_id = ? AND step = ? AND attempt = ? AND split = 'train' GROUP BY task`,
  );
  const selectCounts = sql.prepare<
    [string, number, number],
    { letter: string; gold: string; rule: string; judge: string | null; n: number }
  >(
    `SELECT coalesce(letter, '') AS letter, coalesce(gold, '') AS gold, rule, judge_status AS judge, count(*) AS n
     FROM completions WHERE run_id = ? AND step = ? AND attempt = ? AND split = 'train' GROUP BY 1, 2, 3, 4`,
  );
  const upsertTally = sql.prepare(
    `INSERT OR REPLACE INTO step_tallies
       (run_id, attempt, step, change_id, n, correct, judged, agreed, groups, tied_groups, tied_right, tied_wrong,
        clipped, tokens, tasks, letters, golds, rules, judges)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectSeqs = sql.prepare<[string, number, string], { n: number; last: number | null }>(
    "SELECT count(*) AS n, max(seq) AS last FROM run_lines WHERE run_id = ? AND attempt = ? AND stream = ?",
  );

  const note = (ref: AttemptRef, code: NoteCode, count = 1) => {
    upsertNote.run(ref.run_id, ref.attempt, code, count, NOTES[code]);
  };

  const quarantine = (chunk: Chunk, at: number, length: number, bytes: Buffer, reason: string) => {
    const file =
      chunk.stream === "events"
        ? "events.jsonl"
        : `completions-${String(chunk.segment).padStart(5, "0")}.jsonl`;
    insertQuarantined.run(
      chunk.run_id,
      chunk.attempt,
      file,
      chunk.inode ?? 0,
      chunk.offset + at,
      length,
      reason,
      bytes.subarray(0, QUARANTINE_BYTES),
    );
  };

  const transact = sql.transaction((chunks: readonly Chunk[]): Ingested => {
    const result: Ingested = { run_ids: new Set(), rows: 0, ended: [], progress: new Map() };
    const runs = new Map<string, RunChange>();
    const attempts = new Map<string, AttemptChange>();
    const tallies = new Map<string, { run_id: string; attempt: number; step: number }>();
    let lastId = 0;

    const keep = (line: WireLine | UnknownLine, text: string) => {
      const { run_id, attempt, stream, seq, type } = line;
      const step = "step" in line && Number.isInteger(line.step) ? (line.step as number) : null;
      const { changes, lastInsertRowid } = insertLine.run(run_id, attempt, stream, seq, type, step, text);
      if (changes === 0) return;
      lastId = Number(lastInsertRowid);
      result.rows += 1;
      const points = metricEntries(line);
      if (points) {
        const { went_back, repeated } = buckets.add(run_id, attempt, points);
        if (went_back) note(line, "step_went_back");
        if (repeated) note(line, "duplicate_rows");
      }
      changeRun(line as WireLine);
    };

    const changeRun = (line: WireLine) => {
      const { run_id, attempt } = line;
      const key = `${attempt}:${run_id}`;
      const run = runs.get(run_id) ?? { step: null, max_steps: null, stage: null };
      switch (line.type) {
        case "attempt.start":
          updateStart.run(
            line.resume_from?.step ?? 0,
            line.device.name,
            JSON.stringify(line.versions),
            run_id,
            attempt,
          );
          runs.set(run_id, { ...run, step: line.resume_from?.step ?? run.step });
          break;
        case "metrics": {
          if (line.split !== "train") break;
          result.progress.set(run_id, { attempt, step: line.step, time_secs: line.time_secs });
          runs.set(run_id, { ...run, step: line.step, max_steps: line.max_steps });
          const known = attempts.get(key) ?? { run_id, attempt, first_step: null, last_step: null };
          known.first_step = Math.min(known.first_step ?? line.step, line.step);
          known.last_step = line.step;
          attempts.set(key, known);
          break;
        }
        case "stage":
          runs.set(run_id, { ...run, stage: line.name });
          break;
        case "attempt.end":
          updateEnd.run(line.reason, line.exit_code, run_id, attempt);
          break;
        case "completion":
          keepCompletion(insertCompletion, lastId, line);
          // A held-out answer stands in its evaluation, not in the training it was asked between.
          if (line.split !== "eval") tallies.set(`${key}:${line.step}`, { run_id, attempt, step: line.step });
          break;
      }
    };

    for (const chunk of chunks) {
      result.run_ids.add(chunk.run_id);
      if (chunk.reset)
        note(chunk, chunk.offset === 0 && chunk.bytes.length === 0 ? "file_shrunk" : "file_replaced");
      let { next } = chunk;
      if (chunk.oversized !== null) {
        quarantine(chunk, 0, chunk.oversized, chunk.bytes, tooLong(chunk.oversized));
      } else {
        const { lines, consumed } = splitLines(chunk.bytes, chunk.torn);
        if (consumed < chunk.bytes.length)
          next = {
            ...chunk.next,
            segment: chunk.segment,
            offset: chunk.offset + consumed,
            inode: chunk.inode,
          };
        for (const line of lines) {
          const problem = takeLine(chunk, line, keep, note);
          if (problem !== null)
            quarantine(
              chunk,
              line.at,
              line.bytes,
              chunk.bytes.subarray(line.at, line.at + line.bytes),
              problem,
            );
        }
      }
      upsertCursor.run(
        chunk.run_id,
        chunk.attempt,
        chunk.stream,
        next.segment,
        next.offset,
        next.inode,
        chunk.ended ? 1 : 0,
      );
      if (chunk.ended) result.ended.push({ run_id: chunk.run_id, attempt: chunk.attempt });
    }

    buckets.write();
    for (const { run_id, attempt, first_step, last_step } of attempts.values())
      updateAttemptSteps.run({ first: first_step, last: last_step, run_id, attempt });
    for (const [run_id, { step, max_steps, stage }] of runs) updateRun.run(step, max_steps, stage, run_id);
    for (const { run_id, attempt, step } of tallies.values()) {
      const sums = selectTally.get(run_id, step, attempt);
      const groups = selectGroups.get(run_id, step, attempt);
      if (!sums || !groups) continue;
      const tasks = selectTasks
        .all(run_id, step, attempt)
        .map(({ task, n, correct }) => [task, { n, correct }] as const);
      const counts = selectCounts.all(run_id, step, attempt);
      upsertTally.run(
        run_id,
        attempt,
        step,
        lastId,
        sums.n,
        sums.correct,
        sums.judged,
        sums.agreed,
        groups.groups,
        groups.tied ?? 0,
        groups.tied_right ?? 0,
        groups.tied_wrong ?? 0,
        sums.clipped,
        sums.tokens,
        JSON.stringify(Object.fromEntries(tasks)),
        ...(["letter", "gold", "rule", "judge"] as const).map((what) =>
          JSON.stringify(countBy(counts, what)),
        ),
      );
    }
    hooks.before_commit?.();
    return result;
  });

  return {
    apply(chunks) {
      try {
        return transact.immediate(chunks);
      } catch (error) {
        buckets.forget();
        throw error;
      }
    },

    cursors({ run_id, attempt }) {
      const rows = selectCursors.all(run_id, attempt);
      return STREAMS.flatMap((stream): StreamCursor[] => {
        const row = rows.find((at) => at.stream === stream);
        if (row?.ended) return [];
        return [
          {
            run_id,
            attempt,
            stream,
            segment: row?.segment ?? 1,
            offset: row?.byte_offset ?? 0,
            inode: row?.inode ?? null,
          },
        ];
      });
    },

    isReadOut({ run_id, attempt }) {
      return STREAMS.every((stream) =>
        selectCursors.all(run_id, attempt).some((row) => row.stream === stream && row.ended === 1),
      );
    },

    finish(ref) {
      buckets.forget(ref);
      for (const stream of STREAMS) {
        const seqs = selectSeqs.get(ref.run_id, ref.attempt, stream);
        const missing = (seqs?.last ?? 0) - (seqs?.n ?? 0);
        if (missing > 0) note(ref, "gap_in_seq", missing);
      }
    },
  };
}

type TallyRow = {
  n: number;
  correct: number;
  judged: number;
  agreed: number;
  clipped: number;
  tokens: number;
};

/** Rows with their numbers, added up by one of their columns. */
function countBy<K extends string>(
  rows: readonly ({ n: number } & Record<K, string | null>)[],
  column: K,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const value = row[column];
    if (value !== null) counts[value] = (counts[value] ?? 0) + row.n;
  }
  return counts;
}

/** Keeps a line that fits its file; otherwise says why it does not. */
function takeLine(
  chunk: Chunk,
  { text, bytes }: RawLine,
  keep: (line: WireLine | UnknownLine, text: string) => void,
  note: (ref: AttemptRef, code: NoteCode) => void,
): string | null {
  if (bytes > MAX_LINE_BYTES) return tooLong(bytes);
  if (text === null) return chunk.torn ? "torn: its writer died within a character" : "not UTF-8";
  const parsed = parseLine(text);
  if (parsed.kind === "bad") return chunk.torn ? `torn: its writer died (${parsed.reason})` : parsed.reason;
  const { line } = parsed;
  if (line.run_id !== chunk.run_id) return `run_id: belongs to run ${line.run_id.slice(0, 80)}`;
  if (line.attempt !== chunk.attempt) return `attempt: belongs to attempt ${line.attempt}`;
  if (line.stream !== chunk.stream) return `stream: belongs to ${line.stream}`;
  if ((line.type === "completion") !== (line.stream === "completions") && parsed.kind === "known")
    return `type: ${line.type} does not belong in ${line.stream}`;
  for (const code of parsed.notes) note(chunk, code);
  keep(line, text);
  return null;
}

function tooLong(bytes: number): string {
  return `longer than ${MAX_LINE_BYTES} bytes (${bytes})`;
}

function finite(value: WireNumber | null | undefined): number | null {
  if (value === null || value === undefined) return null;
  const number = toNumber(value);
  return Number.isFinite(number) ? number : null;
}

function keepCompletion(
  insert: { run(...values: unknown[]): unknown },
  id: number,
  line: LineOf<"completion">,
): void {
  const judge = line.judges[0];
  insert.run(
    id,
    line.run_id,
    line.attempt,
    line.gen,
    line.step,
    line.stage,
    line.group_id,
    line.question_id,
    line.clip_id,
    line.task,
    line.k,
    line.gold,
    line.parse.letter,
    line.finish,
    line.tokens,
    finite(line.reward),
    finite(line.advantage),
    finite(line.rewards.format?.raw),
    finite(line.rewards.accuracy?.raw),
    finite(line.rewards.consistency?.raw),
    judge?.status ?? null,
    judge?.agrees === undefined || judge.agrees === null ? null : judge.agrees ? 1 : 0,
    line.split ?? "train",
    line.parse.rule,
    getTagFaults(line.text),
  );
}
