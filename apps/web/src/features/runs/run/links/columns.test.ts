import { expect, it } from "vitest";
import { listColumns } from "./columns.ts";

const cell = (column: number, task = "heading") => ({
  broken: "reasoning" as const,
  task,
  column,
  n: 1,
  untold: 0,
});

it("columns of steps leave no stretch out, and find just their own", () => {
  const columns = listColumns([cell(0), cell(3)], "steps", 13);
  expect(columns.map(({ label }) => label)).toEqual(["0–12", "13–25", "26–38", "39–51"]);
  expect(columns.at(-1)?.filter).toEqual({ from_step: 39, to_step: 51 });
  expect(columns.map(({ has }) => has(cell(3)))).toEqual([false, false, false, true]);
  expect(listColumns([cell(4)], "steps", 1)[0]).toMatchObject({
    label: "4",
    filter: { from_step: 4, to_step: 4 },
  });
  expect(listColumns([], "steps", 13)).toEqual([]);
});

it("columns of tasks are in the order of their names", () => {
  const columns = listColumns([cell(1, "route_planning"), cell(0), cell(2)], "tasks", 13);
  expect(columns.map(({ label, filter }) => [label, filter])).toEqual([
    ["heading", { task: "heading" }],
    ["route planning", { task: "route_planning" }],
  ]);
});
