import type { FindFilter } from "@sightline/core/find";
import type { LinkCounts } from "@sightline/core/links";

type Cell = LinkCounts["cells"][number];

/** A column of the table: which counts it holds, and what finds their completions. */
export type Column = { key: string; label: string; has(cell: Cell): boolean; filter: FindFilter };

/** Columns by stretches of `width` steps, from the first to the last that has any; or by tasks. */
export function listColumns(cells: readonly Cell[], by: "steps" | "tasks", width: number): Column[] {
  if (by === "tasks")
    return [...new Set(cells.map(({ task }) => task))].sort().map((task) => ({
      key: task,
      label: task.replaceAll("_", " "),
      has: (cell) => cell.task === task,
      filter: { task },
    }));
  const all = cells.map(({ column }) => column);
  const columns: Column[] = [];
  for (let column = Math.min(...all); column <= Math.max(...all); column += 1) {
    const [from_step, to_step] = [column * width, (column + 1) * width - 1];
    columns.push({
      key: String(column),
      label: from_step === to_step ? String(from_step) : `${from_step}–${to_step}`,
      has: (cell) => cell.column === column,
      filter: { from_step, to_step },
    });
  }
  return columns;
}
