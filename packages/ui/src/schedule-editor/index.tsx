import { ActionIcon, Menu, NumberInput, SegmentedControl, TextInput, Tooltip } from "@mantine/core";
import type { StageSpec } from "@sightline/core/runs";
import {
  isByStep,
  SCHEDULE_PRESETS,
  STAGE_SETTINGS,
  stageSteps,
  totalEpochs,
  validateStages,
} from "@sightline/core/schedules";
import {
  IconAdjustments,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowLeft,
  IconArrowRight,
  IconCut,
  IconTemplate,
  IconTrash,
} from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { NumberField } from "../number-field/index.tsx";
import { listParts } from "./areas.tsx";
import {
  bindToSteps,
  isSameSchedule,
  keepSteps,
  moveStage,
  placeSteps,
  removeStage,
  setLength,
  setName,
  setStageSetting,
  setSteps,
  setWeight,
  splitStage,
} from "./edit.ts";
import { type History, note, redo, undo } from "./history.ts";
import classes from "./schedule-editor.module.css";
import { Timeline } from "./timeline.tsx";

export { ScheduleDiff } from "./compare.tsx";
export { isSameSchedule } from "./edit.ts";
export { type History, note, redo, startHistory, undo } from "./history.ts";

/**
 * A schedule as a picture and as numbers. Stages are dragged or typed; every change can be undone.
 *
 * @param history  The schedule with its past; the caller keeps it.
 * @param steps_per_epoch  For the axis in steps; null when not known.
 * @param own_rewards  Names of rewards that a person wrote, which a stage may weigh besides the three.
 * @param settings  What holds where a stage has no setting of its own, by name; null where the engine knows none.
 */
export function ScheduleEditor({
  history,
  steps_per_epoch,
  own_rewards,
  settings,
  onChange,
}: {
  history: History<StageSpec[]>;
  steps_per_epoch: number | null;
  own_rewards: readonly string[];
  settings: Readonly<Record<string, number>> | null;
  onChange: (history: History<StageSpec[]>) => void;
}) {
  const stages = steps_per_epoch === null ? history.now : placeSteps(history.now, steps_per_epoch);
  const [chosen, setChosen] = useState(0);
  const selected = Math.min(chosen, stages.length - 1);
  const faults = validateStages(stages);
  const isOwn = stages.some((stage) => STAGE_SETTINGS.some(({ name }) => stage[name] !== undefined));
  const [isOpen, setOpen] = useState(false);
  const parts = [...new Set([...listParts(stages), ...own_rewards])];
  const isBound = isByStep(stages);
  const edit = (next: StageSpec[], isSameGesture = false) => {
    const kept = keepSteps(stages, next, steps_per_epoch);
    if (!isSameSchedule(kept, stages)) onChange(note(history, kept, isSameGesture));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || (key !== "z" && key !== "y")) return;
    if (event.target instanceof HTMLInputElement) return;
    onChange(event.shiftKey || key === "y" ? redo(history) : undo(history));
    event.preventDefault();
  };
  return (
    <section className={classes.root} aria-label="Schedule" onKeyDown={onKeyDown}>
      <header className={classes.header}>
        <h2 className={classes.title}>Schedule</h2>
        <span className={classes.quiet}>
          {stages.length} {stages.length === 1 ? "stage" : "stages"}, {totalEpochs(stages)} epochs
          {steps_per_epoch !== null &&
            `, ${(stageSteps(stages, steps_per_epoch).at(-1)?.to_step ?? 1) - 1} steps`}
        </span>
        <span className={classes.tools}>
          {steps_per_epoch !== null && (
            <SegmentedControl
              size="xs"
              aria-label="What stages are bound to"
              value={isBound ? "steps" : "epochs"}
              data={[
                { value: "epochs", label: "Epochs" },
                { value: "steps", label: "Steps" },
              ]}
              onChange={(value) =>
                onChange(note(history, bindToSteps(stages, value === "steps", steps_per_epoch)))
              }
            />
          )}
          {settings !== null && (
            <Tool label="Settings of stages" isPressed={isOpen || isOwn} onClick={() => setOpen(!isOpen)}>
              <IconAdjustments size={16} stroke={1.7} />
            </Tool>
          )}
          <Presets onChoose={(next) => edit(next)} />
          <Tool
            label="Undo (Ctrl Z)"
            disabled={history.past.length === 0}
            onClick={() => onChange(undo(history))}
          >
            <IconArrowBackUp size={16} stroke={1.7} />
          </Tool>
          <Tool
            label="Redo (Ctrl Shift Z)"
            disabled={history.future.length === 0}
            onClick={() => onChange(redo(history))}
          >
            <IconArrowForwardUp size={16} stroke={1.7} />
          </Tool>
        </span>
      </header>
      <Timeline
        stages={stages}
        steps_per_epoch={steps_per_epoch}
        selected={selected}
        onSelect={setChosen}
        onEdit={edit}
      />
      <div className={classes.wide}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th>Stage</th>
              <th>Epochs</th>
              {steps_per_epoch !== null && <th>Steps</th>}
              {parts.map((part) => (
                <th key={part} data-part={part}>
                  {part}
                </th>
              ))}
              <th aria-label="Order" />
            </tr>
          </thead>
          <tbody>
            {stages.map((_, index) => (
              <StageRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place; names can be alike while one types
                key={index}
                stages={stages}
                index={index}
                parts={parts}
                steps_per_epoch={steps_per_epoch}
                isSelected={selected === index}
                onSelect={() => setChosen(index)}
                onEdit={edit}
              />
            ))}
          </tbody>
        </table>
      </div>
      {settings !== null && (isOpen || isOwn) && (
        <StageSettings stages={stages} settings={settings} onSelect={setChosen} onEdit={edit} />
      )}
      {faults.map((fault) => (
        <p key={fault} className={classes.fault}>
          {fault}
        </p>
      ))}
    </section>
  );
}

/** Learning rate, β and temperature by stage; an empty field leaves what holds for the run. */
function StageSettings({
  stages,
  settings,
  onSelect,
  onEdit,
}: {
  stages: StageSpec[];
  settings: Readonly<Record<string, number>>;
  onSelect: (index: number) => void;
  onEdit: (stages: StageSpec[]) => void;
}) {
  return (
    <table className={`${classes.table} ${classes.settings}`} aria-label="Settings of stages">
      <thead>
        <tr>
          <th>Stage</th>
          {STAGE_SETTINGS.map(({ name, label }) => (
            <th key={name}>{label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {stages.map((stage, index) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place; names can be alike while one types
            key={index}
            onFocus={() => onSelect(index)}
          >
            <td>{stage.name || `stage ${index + 1}`}</td>
            {STAGE_SETTINGS.map(({ name, label }) => (
              <td key={name}>
                <NumberField
                  size="xs"
                  aria-label={`Stage ${index + 1}: ${label}`}
                  placeholder={settings[name] === undefined ? "–" : String(settings[name])}
                  value={stage[name] ?? null}
                  min={0}
                  hideControls
                  onChange={(value) => onEdit(setStageSetting(stages, index, name, value))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Tool({
  label,
  disabled = false,
  isPressed,
  onClick,
  children,
}: {
  label: string;
  disabled?: boolean;
  isPressed?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={label}
        aria-pressed={isPressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function stepsOf(stages: readonly StageSpec[], index: number, steps_per_epoch: number): number {
  const range = stageSteps(stages, steps_per_epoch)[index];
  return range ? range.to_step - range.from_step : 0;
}

function Presets({ onChoose }: { onChoose: (stages: StageSpec[]) => void }) {
  return (
    <Menu position="bottom-end" width={360}>
      <Menu.Target>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label="Schedules to start from"
          title="Schedules to start from"
        >
          <IconTemplate size={16} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEDULE_PRESETS.map((preset) => (
          <Menu.Item key={preset.schedule} onClick={() => onChoose([...preset.stages])}>
            <div className={classes.presetTitle}>{preset.title}</div>
            <div className={classes.presetSummary}>{preset.summary}</div>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function StageRow({
  stages,
  index,
  parts,
  steps_per_epoch,
  isSelected,
  onSelect,
  onEdit,
}: {
  stages: StageSpec[];
  index: number;
  parts: readonly string[];
  steps_per_epoch: number | null;
  isSelected: boolean;
  onSelect: () => void;
  onEdit: (stages: StageSpec[]) => void;
}) {
  const stage = stages[index];
  if (!stage) return null;
  const label = `Stage ${index + 1}`;
  return (
    <tr data-selected={isSelected || undefined} onFocus={onSelect}>
      <td>
        <TextInput
          size="xs"
          aria-label={`${label}: name`}
          value={stage.name}
          onChange={(event) => onEdit(setName(stages, index, event.currentTarget.value))}
        />
      </td>
      <td>
        <NumberInput
          size="xs"
          aria-label={`${label}: epochs`}
          value={Number((stage.to_epoch - stage.from_epoch).toFixed(4))}
          min={0.25}
          step={0.25}
          onChange={(value) => {
            if (typeof value === "number") onEdit(setLength(stages, index, value));
          }}
        />
      </td>
      {steps_per_epoch !== null && (
        <td className={stage.steps === undefined ? undefined : classes.stepField}>
          {stage.steps === undefined ? (
            <span className={classes.stepCount}>{stepsOf(stages, index, steps_per_epoch)}</span>
          ) : (
            <NumberInput
              size="xs"
              aria-label={`${label}: steps`}
              value={stage.steps}
              min={1}
              allowDecimal={false}
              onChange={(value) => {
                if (typeof value === "number") onEdit(setSteps(stages, index, value, steps_per_epoch));
              }}
            />
          )}
        </td>
      )}
      {parts.map((part) => (
        <td key={part}>
          <NumberInput
            size="xs"
            aria-label={`${label}: weight of ${part}`}
            value={stage.weights[part as keyof StageSpec["weights"]] ?? 0}
            min={0}
            step={1}
            onChange={(value) => {
              if (typeof value === "number") onEdit(setWeight(stages, index, part, value));
            }}
          />
        </td>
      ))}
      <td className={classes.rowTools}>
        <Tool
          label="Earlier (Alt ←)"
          disabled={index === 0}
          onClick={() => onEdit(moveStage(stages, index, index - 1))}
        >
          <IconArrowLeft size={14} stroke={1.7} />
        </Tool>
        <Tool
          label="Later (Alt →)"
          disabled={index === stages.length - 1}
          onClick={() => onEdit(moveStage(stages, index, index + 1))}
        >
          <IconArrowRight size={14} stroke={1.7} />
        </Tool>
        <Tool label="Split (S)" onClick={() => onEdit(splitStage(stages, index))}>
          <IconCut size={14} stroke={1.7} />
        </Tool>
        <Tool
          label="Remove (Delete)"
          disabled={stages.length === 1}
          onClick={() => onEdit(removeStage(stages, index))}
        >
          <IconTrash size={14} stroke={1.7} />
        </Tool>
      </td>
    </tr>
  );
}
