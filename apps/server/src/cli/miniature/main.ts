import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listCells, nameCell } from "./arms.ts";
import { trainCell } from "./train-cell.ts";

const { values } = parseArgs({
  options: {
    work: { type: "string" },
    trainer: { type: "string" },
    only: { type: "string" },
  },
});
const work = resolve(values.work ?? ".sightline/miniature");
const bench = {
  python: process.env.SIGHTLINE_TRAINER_PYTHON ?? "python3",
  trainer: resolve(values.trainer ?? join(import.meta.dirname, "../../../../trainer")),
  runs: join(work, "runs"),
};
mkdirSync(bench.runs, { recursive: true });
for (const cell of listCells()) {
  if (values.only && !new RegExp(values.only).test(nameCell(cell))) continue;
  const began = performance.now();
  const dir = await trainCell(bench, cell, () => {});
  console.log(nameCell(cell), dir, Math.round((performance.now() - began) / 1000));
}
