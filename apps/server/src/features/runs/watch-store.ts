import { type Db, writeDurably } from "../../db/open.ts";

/** A run that somebody else started, and where its directory lies on its host. */
export type WatchedRun = { run_id: string; host_id: string; directory: string };

/** The only SQL of watched runs. */
export type WatchStore = ReturnType<typeof createWatchStore>;

/** @param db  The open database, migrated. */
export function createWatchStore(db: Db) {
  const select = db.$client.prepare<[], WatchedRun>(
    "SELECT run_id, host_id, directory FROM watched_runs ORDER BY watched_secs",
  );
  const insert = db.$client.prepare(
    "INSERT INTO watched_runs (run_id, host_id, directory, watched_secs) VALUES (?, ?, ?, ?)",
  );
  const known = new Map(select.all().map((run) => [run.run_id, run]));
  return {
    list: (): WatchedRun[] => [...known.values()],
    get: (run_id: string): WatchedRun | null => known.get(run_id) ?? null,

    add(run: WatchedRun): void {
      writeDurably(db, () => insert.run(run.run_id, run.host_id, run.directory, Date.now() / 1000));
      known.set(run.run_id, run);
    },
  };
}
