import type { EventMark, RunDetail, RunSeries } from "@sightline/core/runs";

type Trouble = Extract<EventMark, { kind: "warn" | "error" }>;

/** Warnings and errors that the trainer told of, oldest first. */
export function getTroubles(series: RunSeries): Trouble[] {
  return series.marks.filter((mark): mark is Trouble => mark.kind === "warn" || mark.kind === "error");
}

/** How many things the tab Problems has to say. */
export function countProblems(detail: RunDetail | null, series: RunSeries): number {
  return getTroubles(series).length + (detail?.quarantined.count ?? 0) + (detail?.notes.length ?? 0);
}
