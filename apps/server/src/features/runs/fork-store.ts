import { type Db, writeDurably } from "../../db/open.ts";

/** A fork that takes over its checkpoint on a host before its run is written. */
export type ForkPlan = { run_id: string; host_id: string };

/** The only SQL of planned forks. */
export type ForkStore = ReturnType<typeof createForkStore>;

/** @param db  The open database, migrated. */
export function createForkStore(db: Db) {
  const select = db.$client.prepare<[], ForkPlan>("SELECT run_id, host_id FROM fork_plans");
  const insert = db.$client.prepare("INSERT INTO fork_plans (run_id, host_id) VALUES (?, ?)");
  const remove = db.$client.prepare("DELETE FROM fork_plans WHERE run_id = ?");
  return {
    list: (): ForkPlan[] => select.all(),

    add({ run_id, host_id }: ForkPlan): void {
      writeDurably(db, () => insert.run(run_id, host_id));
    },

    remove(run_id: string): void {
      remove.run(run_id);
    },
  };
}
