import {
  type Flip,
  packFlips,
  type Replay,
  type ReplayFlip,
  type ReplayPlan,
  type ReplaySide,
  unpackFlips,
} from "@sightline/core/replay";
import { type LineOf, readAcceptedLine } from "@sightline/core/wire";
import { type Db, writeDurably } from "../../db/open.ts";

/** The only SQL of replays and replay_flips; it reads the completions that ingest stored. */
export type ReplayStore = ReturnType<typeof createReplayStore>;

export type ReplayRecord = Omit<Replay, "done"> & { upto_id: number };

/** A completion of a run in the order in which a replay reads them. */
export type StoredCompletion = { id: number; line: LineOf<"completion"> };

type Row = Omit<ReplayRecord, "plan" | "summary"> & { plan: string; summary: string | null };
/** Where a reader stands: a group's completions lie side by side. */
export type Place = { step: number; attempt: number; group_id: string; k: number; id: number };

const COLUMNS = `replay_id, run_id, name, plan, author, made_secs, state, upto_id, total, problem`;

const toRecord = ({ plan, summary, ...row }: Row): ReplayRecord => ({
  ...row,
  plan: JSON.parse(plan),
  summary: summary === null ? null : JSON.parse(summary),
});

/** @param db  The open database, migrated. */
export function createReplayStore(db: Db) {
  const sql = db.$client;
  const selectOne = sql.prepare<[string], Row>(
    `SELECT ${COLUMNS}, summary FROM replays WHERE replay_id = ? AND removed_secs IS NULL`,
  );
  const selectOfRun = sql.prepare<[string], Row>(
    `SELECT ${COLUMNS}, NULL AS summary FROM replays WHERE run_id = ? AND removed_secs IS NULL ORDER BY made_secs DESC`,
  );
  const selectWorking = sql.prepare<[], Row>(
    `SELECT ${COLUMNS}, NULL AS summary FROM replays WHERE state = 'working' AND removed_secs IS NULL`,
  );
  const insert = sql.prepare(
    `INSERT INTO replays (replay_id, run_id, name, plan, author, made_secs, state, upto_id, total)
     VALUES (?, ?, ?, ?, ?, ?, 'working', ?, ?)`,
  );
  const setState = sql.prepare(
    "UPDATE replays SET state = ?, problem = ?, summary = ? WHERE replay_id = ? AND state = 'working'",
  );
  const setRemoved = sql.prepare("UPDATE replays SET removed_secs = ? WHERE replay_id = ?");
  const deleteFlips = sql.prepare("DELETE FROM replay_flips WHERE replay_id = ?");
  const insertFlip = sql.prepare(
    "INSERT INTO replay_flips (replay_id, step, completion_id, task, flips, sides) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const selectExtent = sql.prepare<[string], { upto_id: number | null; total: number }>(
    "SELECT max(id) AS upto_id, count(*) AS total FROM completions WHERE run_id = ?",
  );
  const selectNext = sql.prepare<
    [string, number, number, string, number, number, number, number],
    { id: number; raw: string }
  >(
    `SELECT c.id, l.raw FROM completions c JOIN run_lines l ON l.id = c.id
     WHERE c.run_id = ? AND (c.step, c.attempt, c.group_id, c.k, c.id) > (?, ?, ?, ?, ?) AND c.id <= ?
     ORDER BY c.step, c.attempt, c.group_id, c.k, c.id LIMIT ?`,
  );

  return {
    get: (replay_id: string): ReplayRecord | null => {
      const row = selectOne.get(replay_id);
      return row ? toRecord(row) : null;
    },
    /** Newest first, without their summaries. */
    list: (run_id: string): ReplayRecord[] => selectOfRun.all(run_id).map(toRecord),
    working: (): ReplayRecord[] => selectWorking.all().map(toRecord),

    /** What a run has by now: its newest completion and how many there are. */
    extent(run_id: string): { upto_id: number; total: number } {
      const { upto_id, total } = selectExtent.get(run_id) ?? { upto_id: null, total: 0 };
      return { upto_id: upto_id ?? 0, total };
    },

    add(replay: Omit<ReplayRecord, "state" | "problem" | "summary">): void {
      const { replay_id, run_id, name, plan, author, made_secs, upto_id, total } = replay;
      writeDurably(db, () =>
        insert.run(replay_id, run_id, name, JSON.stringify(plan), author, made_secs, upto_id, total),
      );
    },
    end(replay_id: string, state: Replay["state"], problem: string | null, summary: Replay["summary"]): void {
      setState.run(state, problem, summary === null ? null : JSON.stringify(summary), replay_id);
    },
    setRemoved(replay_id: string, is_removed: boolean): boolean {
      return writeDurably(
        db,
        () => setRemoved.run(is_removed ? Date.now() / 1000 : null, replay_id).changes > 0,
      );
    },

    /** The completions behind a place, up to `limit` of them. */
    next(run_id: string, after: Place | null, upto_id: number, limit: number): StoredCompletion[] {
      const { step, attempt, group_id, k, id } = after ?? { step: -1, attempt: 0, group_id: "", k: 0, id: 0 };
      return selectNext
        .all(run_id, step, attempt, group_id, k, id, upto_id, limit)
        .map(({ id: found, raw }) => ({ id: found, line: readAcceptedLine(raw) as LineOf<"completion"> }));
    },

    forgetFlips: (replay_id: string): void => void deleteFlips.run(replay_id),
    addFlips(
      replay_id: string,
      rows: readonly {
        id: number;
        step: number;
        task: string;
        flips: Flip[];
        sides: [ReplaySide, ReplaySide];
      }[],
    ): void {
      sql.transaction(() => {
        for (const { id, step, task, flips, sides } of rows)
          insertFlip.run(replay_id, step, id, task, packFlips(flips), JSON.stringify(sides));
      })();
    },

    /** Flipped completions in the order of their steps. */
    flips(
      replay_id: string,
      filter: { flip: Flip | null; task: string | null; offset: number; limit: number },
    ): { rows: ReplayFlip[]; total: number } {
      const conditions = ["f.replay_id = ?"];
      const values: (string | number)[] = [replay_id];
      if (filter.flip !== null) {
        conditions.push("f.flips & ?");
        values.push(packFlips([filter.flip]));
      }
      if (filter.task !== null) {
        conditions.push("f.task = ?");
        values.push(filter.task);
      }
      const where = conditions.join(" AND ");
      const { n: total } = sql
        .prepare<unknown[], { n: number }>(`SELECT count(*) AS n FROM replay_flips f WHERE ${where}`)
        .get(...values) ?? { n: 0 };
      const rows = sql
        .prepare<
          unknown[],
          Omit<ReplayFlip, "before" | "after" | "flips"> & { flips: number; sides: string }
        >(
          `SELECT f.completion_id, f.step, f.task, f.flips, f.sides, c.split, c.group_id, c.k, c.question_id, c.gold
           FROM replay_flips f JOIN completions c ON c.id = f.completion_id
           WHERE ${where} ORDER BY f.step, f.completion_id LIMIT ? OFFSET ?`,
        )
        .all(...values, filter.limit, filter.offset);
      return {
        rows: rows.map(({ flips, sides, ...row }) => {
          const [before, after] = JSON.parse(sides) as [ReplaySide, ReplaySide];
          return { ...row, before, after, flips: unpackFlips(flips) };
        }),
        total,
      };
    },
  };
}

/** What a person asks for. */
export type ReplayDraft = { run_id: string; name: string; plan: ReplayPlan };
