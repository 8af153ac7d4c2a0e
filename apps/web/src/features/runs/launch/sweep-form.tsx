import { MultiSelect, SegmentedControl, Switch, TextInput } from "@mantine/core";
import type { HostSummary } from "@sightline/core/runs";
import { SCHEDULE_PRESETS } from "@sightline/core/schedules";
import classes from "./launch-page.module.css";
import type { Draft } from "./preflight.ts";
import { countRuns, DRAWN, NEW_SWEEP, nameSchedule, parseSeeds, type SweepWish } from "./sweep.ts";

const SCHEDULES = [
  { value: DRAWN, label: "As drawn" },
  ...SCHEDULE_PRESETS.map(({ schedule, title }) => ({ value: schedule, label: nameSchedule(title) })),
];

/** One launch for several schedules, seeds and hosts. */
export function SweepForm({
  draft,
  hosts,
  onChange,
}: {
  draft: Draft;
  hosts: readonly HostSummary[];
  onChange: (sweep: SweepWish | null) => void;
}) {
  const sweep = draft.sweep ?? null;
  const change = (fields: Partial<SweepWish>) => sweep && onChange({ ...sweep, ...fields });
  return (
    <section aria-label="Sweep" className={classes.sweep}>
      <Switch
        size="sm"
        label="Sweep: launch several schedules, seeds or hosts at once"
        checked={sweep !== null}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? { ...NEW_SWEEP, host_ids: [draft.host_id] } : null)
        }
      />
      {sweep && (
        <div className={classes.sweepFields}>
          <MultiSelect
            size="xs"
            label="Schedules"
            description="All as long as the drawn one"
            data={SCHEDULES}
            value={sweep.schedules}
            onChange={(schedules) => change({ schedules })}
          />
          <TextInput
            size="xs"
            label="Seeds"
            description="Numbers and ranges: 1, 2, 5-8"
            value={sweep.seeds}
            error={parseSeeds(sweep.seeds) === null}
            onChange={(event) => change({ seeds: event.currentTarget.value })}
          />
          <MultiSelect
            size="xs"
            label="Hosts"
            description="Runs wait for their turn on each"
            data={hosts.map(({ host_id, name }) => ({ value: host_id, label: name }))}
            value={sweep.host_ids}
            onChange={(host_ids) => change({ host_ids })}
          />
          {sweep.host_ids.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="How the hosts are used"
              value={sweep.is_spread ? "spread" : "every"}
              data={[
                { value: "spread", label: "Each run once, spread over the hosts" },
                { value: "every", label: "Each run on every host" },
              ]}
              onChange={(value) => change({ is_spread: value === "spread" })}
            />
          )}
          <p className={classes.sum} role="status">
            {sweep.schedules.length} × {parseSeeds(sweep.seeds)?.length ?? "?"}
            {!sweep.is_spread && ` × ${sweep.host_ids.length}`} = <b>{countRuns(sweep)} runs</b>
          </p>
        </div>
      )}
    </section>
  );
}
