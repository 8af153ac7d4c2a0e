import { MultiSelect, Popover, SegmentedControl, Select, UnstyledButton } from "@mantine/core";
import { makeXMap, type RunSeries, type RunSummary, X_KINDS, type XKind } from "@sightline/core/runs";
import { IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../app/clients.ts";
import classes from "./chart-controls.module.css";
import { MOST_NAMED } from "./most-named.ts";
import type { RunView } from "./use-run-view.ts";

const X_WORDS: Record<XKind, string> = {
  step: "steps",
  epoch: "epochs",
  tokens: "tokens",
  time: "wall time",
  stage: "steps of the stage",
};
const SMOOTHINGS = [0, 0.8, 0.95];

/** What all charts of a run share: the x axis, other runs beside it, smoothing. */
export function ChartControls({ view, series }: { view: RunView; series: RunSeries }) {
  return (
    <div className={classes.controls}>
      <Overlays view={view} />
      <Select
        size="xs"
        className={classes.axis}
        aria-label="X axis"
        allowDeselect={false}
        data={X_KINDS.map((kind) => ({
          value: kind,
          label: X_WORDS[kind],
          disabled: makeXMap(series, kind) === null,
        }))}
        value={view.x}
        onChange={(kind) => view.setX((kind as XKind | null) ?? "step")}
      />
      <div className={classes.smoothing} title="Debiased exponential moving average, drawn over the values">
        <span id="smoothing-label">Smooth</span>
        <SegmentedControl
          size="xs"
          aria-labelledby="smoothing-label"
          value={String(view.smoothing)}
          data={SMOOTHINGS.map((one) => ({ value: String(one), label: one === 0 ? "off" : String(one) }))}
          onChange={(next) => view.setSmoothing(Number(next))}
        />
      </div>
    </div>
  );
}

function Overlays({ view }: { view: RunView }) {
  const runs = useQuery(trpc.runs.list.queryOptions({ trash: false })).data ?? [];
  const others = runs.filter(({ run_id }) => run_id !== view.run_id);
  if (others.length === 0) return null;
  return (
    <Popover position="bottom-end" width={360} trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton className={classes.overlay} data-on={view.beside.length > 0 || undefined}>
          <IconStack2 size={14} stroke={1.7} aria-hidden="true" />
          {view.beside.length === 0 ? "Overlay runs" : `${view.beside.length} overlaid`}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <MultiSelect
          size="xs"
          label={`Other runs beside this one, ${MOST_NAMED} at most`}
          placeholder="Name of a run"
          data-autofocus
          searchable
          clearable
          hidePickedOptions
          maxValues={Math.max(MOST_NAMED, view.beside.length)}
          comboboxProps={{ withinPortal: false }}
          data={others.map(nameRun)}
          value={view.beside}
          onChange={view.setBeside}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

const nameRun = ({ run_id, name, simulated, recorded }: RunSummary) => ({
  value: run_id,
  label: `${name}${simulated ? " (simulated)" : recorded ? " (recorded)" : ""}`,
});
