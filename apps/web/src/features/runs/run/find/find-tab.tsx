import { FindFilter } from "@sightline/core/find";
import { formatNumberOf } from "@sightline/core/format";
import { lastStepInForce, type RunSeries, type RunSummary } from "@sightline/core/runs";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { useState } from "react";
import type { RunView } from "../use-run-view.ts";
import classes from "./find.module.css";
import { FindFilters } from "./find-filters.tsx";
import { FindList } from "./find-list.tsx";
import { OpenedTrace } from "./opened-trace.tsx";
import { QuestionStrip } from "./question-strip.tsx";
import { useFound } from "./use-found.ts";
import { ViewsMenu } from "./views-menu.tsx";

/** Finds completions of the run by what they are and by their words. The URL holds what is asked. */
export function FindTab({
  view,
  series,
  beside,
}: {
  view: RunView;
  series: RunSeries;
  beside: readonly RunSummary[];
}) {
  const { filter } = view;
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const found = useFound(view.run_id, filter, range, String(series.tallies.length));
  const set = (next: FindFilter) => view.find(tidy(next));
  const isAsked = Object.keys(filter).length > 0;
  const { indexed } = found;
  const list = (
    <FindList
      found={found}
      filterKey={JSON.stringify(filter)}
      impossible={sayImpossible(filter)}
      opened={view.trace}
      isRolledBack={(row) => row.step > lastStepInForce(series, row.attempt)}
      onOpen={view.openTrace}
      onRange={setRange}
    />
  );
  return (
    <div className={classes.tab}>
      <header className={classes.header}>
        <FindFilters series={series} run_id={view.run_id} filter={filter} onChange={set} />
        <div className={classes.status}>
          <span role="status">
            {found.problem ??
              (found.isLoading
                ? "Looking …"
                : found.isMore
                  ? `More than ${formatNumberOf(found.total, "completion")}; the first ${found.total.toLocaleString("en")} are listed`
                  : formatNumberOf(found.total, "completion"))}
          </span>
          {filter.words !== undefined && indexed !== null && indexed.done < indexed.total && (
            <span className={classes.indexing}>
              <progress value={indexed.done} max={indexed.total} aria-label="Words indexed" /> words of{" "}
              {indexed.done.toLocaleString("en")} of {indexed.total.toLocaleString("en")} are indexed; more
              may be found
            </span>
          )}
          <span className={classes.actions}>
            {isAsked && (
              <button type="button" className={classes.clear} onClick={() => set({})}>
                Clear
              </button>
            )}
            <ViewsMenu filter={filter} onPick={set} />
          </span>
        </div>
        {filter.question !== undefined && (
          <QuestionStrip series={series} question_id={filter.question} beside={beside} onPick={view.pick} />
        )}
      </header>
      {/* The list stays the same one when a completion is opened beside it: it holds the focus and takes the keys. */}
      <PaneGroup id="run-find" direction="horizontal">
        <Pane id="list" size={50} min={260}>
          {list}
        </Pane>
        {view.trace !== null && (
          <Pane id="trace" size={50} min={300}>
            <OpenedTrace
              key={view.trace}
              completion_id={view.trace}
              words={filter.words ?? ""}
              onGroup={(step, group) => view.openGroupAt(step, group)}
              onQuestion={(question) => set({ question })}
              onTag={(tag) => set({ ...filter, tag })}
              onClose={() => view.openTrace(null)}
            />
          </Pane>
        )}
      </PaneGroup>
    </div>
  );
}

function sayImpossible({ shortest, longest }: FindFilter): string | null {
  if (shortest === undefined || longest === undefined || shortest <= longest) return null;
  return `No length is ${shortest} or more and ${longest} or less: the two ends are the wrong way round.`;
}

/** A filter without what asks for nothing. */
function tidy(filter: FindFilter): FindFilter {
  const kept = Object.entries(filter).filter(
    ([name, value]) => value !== undefined && value !== null && (value !== "" || name === "letter"),
  );
  return FindFilter.parse(Object.fromEntries(kept));
}
