import { ActionIcon, Menu, NumberInput, TextInput, Tooltip } from "@mantine/core";
import type { StageSpec } from "@sightline/core/runs";
import { SCHEDULE_PRESETS, totalEpochs, validateStages } from "@sightline/core/schedules";
import { REWARD_PARTS } from "@sightline/core/wire";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowLeft,
  IconArrowRight,
  IconCut,
  IconTemplate,
  IconTrash,
} from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { isSameSchedule, moveStage, removeStage, setLength, setName, setWeight, splitStage } from "./edit.ts";
import { type History, note, redo, undo } from "./history.ts";
import classes from "./schedule-editor.module.css";
import { Timeline } from "./timeline.tsx";

export { isSameSchedule } from "./edit.ts";
export { type History, note, redo, startHistory, undo } from "./history.ts";

/**
 * A schedule as a picture and as numbers. Stages are dragged or typed; every change can be undone.
 *
 * @param history  The schedule with its past; the caller keeps it.
 * @param steps_per_epoch  For the axis in steps; null when not known.
 */
export function ScheduleEditor({
  history,
  steps_per_epoch,
  onChange,
}: {
  history: History<StageSpec[]>;
  steps_per_epoch: number | null;
  onChange: (history: History<StageSpec[]>) => void;
}) {
  const stages = history.now;
  const [chosen, setChosen] = useState(0);
  const selected = Math.min(chosen, stages.length - 1);
  const faults = validateStages(stages);
  const edit = (next: StageSpec[], isSameGesture = false) => {
    if (!isSameSchedule(next, stages)) onChange(note(history, next, isSameGesture));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target instanceof HTMLInputElement) return;
    onChange(event.shiftKey ? redo(history) : undo(history));
    event.preventDefault();
  };
  return (
    <section className={classes.root} aria-label="Schedule" onKeyDown={onKeyDown}>
      <header className={classes.header}>
        <h2 className={classes.title}>Schedule</h2>
        <span className={classes.quiet}>
          {stages.length} {stages.length === 1 ? "stage" : "stages"}, {totalEpochs(stages)} epochs
          {steps_per_epoch !== null && `, ${Math.round(totalEpochs(stages) * steps_per_epoch)} steps`}
        </span>
        <span className={classes.tools}>
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
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Stage</th>
            <th>Epochs</th>
            {REWARD_PARTS.map((part) => (
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
              isSelected={selected === index}
              onSelect={() => setChosen(index)}
              onEdit={edit}
            />
          ))}
        </tbody>
      </table>
      {faults.map((fault) => (
        <p key={fault} className={classes.fault}>
          {fault}
        </p>
      ))}
    </section>
  );
}

function Tool({
  label,
  disabled = false,
  onClick,
  children,
}: {
  label: string;
  disabled?: boolean;
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
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
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
  isSelected,
  onSelect,
  onEdit,
}: {
  stages: StageSpec[];
  index: number;
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
      {REWARD_PARTS.map((part) => (
        <td key={part}>
          <NumberInput
            size="xs"
            aria-label={`${label}: weight of ${part}`}
            value={stage.weights[part]}
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
