import { Button, Select } from "@mantine/core";
import type { StageSpec } from "@sightline/core/runs";
import { type History, isSameSchedule, note, ScheduleDiff } from "@sightline/ui/schedule-editor";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { useRuns } from "../follow-list.ts";
import classes from "./launch-page.module.css";

const route = getRouteApi("/runs/launch");

/** The drawn schedule beside that of any run; the address names the run. */
export function CompareSchedule({
  history,
  onChange,
}: {
  history: History<StageSpec[]>;
  onChange: (history: History<StageSpec[]>) => void;
}) {
  const { against } = route.useSearch();
  const navigate = useNavigate({ from: "/runs/launch" });
  const runs = useRuns().data ?? [];
  const detail = useQuery({
    ...trpc.runs.get.queryOptions({ run_id: against ?? "" }),
    enabled: against !== undefined,
  });
  const theirs = detail.data?.spec.stages ?? null;
  return (
    <section aria-label="Compare the schedule">
      <div className={classes.compare}>
        <Select
          size="xs"
          label="Compare with the schedule of a run"
          placeholder="Choose a run"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Compare with none" }}
          nothingFoundMessage="No run is called so"
          data={runs.map(({ run_id, name }) => ({ value: run_id, label: name }))}
          value={against ?? null}
          onChange={(run_id) =>
            void navigate({ search: (now) => ({ ...now, against: run_id ?? undefined }), replace: true })
          }
        />
        {theirs !== null && !isSameSchedule(theirs, history.now) && theirs.length > 0 && (
          <Button size="xs" variant="default" onClick={() => onChange(note(history, [...theirs]))}>
            Take it over
          </Button>
        )}
      </div>
      {detail.isError && <p className={classes.wrongWords}>{detail.error.message}</p>}
      {against !== undefined && detail.isPending && <p className={classes.quiet}>Reading the run …</p>}
      {theirs?.length === 0 && <p className={classes.quiet}>This run has no schedule.</p>}
      {theirs !== null && theirs.length > 0 && (
        <ScheduleDiff
          mine={history.now}
          theirs={theirs}
          mine_name="As drawn"
          theirs_name={detail.data?.run.name ?? ""}
        />
      )}
    </section>
  );
}
