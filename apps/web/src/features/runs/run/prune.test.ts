import type { CheckpointRow } from "@sightline/core/runs";
import { expect, it } from "vitest";
import { chooseWhatGoes } from "./prune.ts";

const row = (step: number, change: Partial<CheckpointRow> = {}): CheckpointRow => ({
  step,
  bytes: 1,
  complete: true,
  time_secs: 0,
  files: 1,
  ends_stage: null,
  forks: [],
  is_needed: false,
  fetched: null,
  fetched_bytes: 0,
  ...change,
});

it("keeps the newest, the ends of stages, what forks began from and what a resume needs", () => {
  const rows = [
    row(1),
    row(2, { ends_stage: "format" }),
    row(3, { forks: [{ run_id: "r", name: "fork" }] }),
    row(4, { complete: false }),
    row(5),
    row(6, { is_needed: true }),
    row(7, { complete: false }),
  ];
  const gone = (keep: number, keeps_stage_ends: boolean) =>
    chooseWhatGoes(rows, { keep, keeps_stage_ends }).map(({ step }) => step);
  expect(gone(2, true)).toEqual([1, 4]);
  expect(gone(1, false)).toEqual([1, 2, 4, 5]);
  expect(gone(0, true)).toEqual([1, 4, 5]);
  expect(gone(9, true)).toEqual([4]);
});
