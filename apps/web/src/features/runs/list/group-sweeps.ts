import type { RunSummary } from "@sightline/core/runs";

/** A line of the list: a run, or the head of a sweep above its runs. */
export type ListItem<Row> =
  | { kind: "run"; row: Row; is_in_sweep: boolean }
  | { kind: "sweep"; sweep_id: string; name: string; runs: RunSummary[]; is_shut: boolean };

/** Gathers the runs of each sweep under a head, at the place of the first of them; the order is kept otherwise. */
export function listItems<Row extends { original: RunSummary }>(
  rows: readonly Row[],
  shut: ReadonlySet<string>,
): ListItem<Row>[] {
  const sweeps = new Map<string, Row[]>();
  for (const row of rows) {
    const { sweep } = row.original;
    if (sweep) sweeps.set(sweep.sweep_id, [...(sweeps.get(sweep.sweep_id) ?? []), row]);
  }
  return rows.flatMap((row): ListItem<Row>[] => {
    const { sweep } = row.original;
    if (!sweep) return [{ kind: "run", row, is_in_sweep: false }];
    const members = sweeps.get(sweep.sweep_id) ?? [];
    if (members[0] !== row) return [];
    const is_shut = shut.has(sweep.sweep_id);
    const head = {
      kind: "sweep" as const,
      sweep_id: sweep.sweep_id,
      name: sweep.name,
      runs: members.map((member) => member.original),
      is_shut,
    };
    if (is_shut) return [head];
    return [head, ...members.map((member) => ({ kind: "run" as const, row: member, is_in_sweep: true }))];
  });
}
