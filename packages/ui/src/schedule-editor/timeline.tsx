import { VisuallyHidden } from "@mantine/core";
import type { StageSpec } from "@sightline/core/runs";
import { formatRatio, totalEpochs } from "@sightline/core/schedules";
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { Areas } from "./areas.tsx";
import { EPOCH_GRID, moveBorder, moveStage, removeStage, splitStage } from "./edit.ts";
import classes from "./schedule-editor.module.css";

/** A change of the schedule; `isSameGesture` while one drag goes on. */
export type OnEdit = (stages: StageSpec[], isSameGesture?: boolean) => void;

/** The schedule as a picture: epochs from left to right, weights stacked to 1. Borders and stages can be moved. */
export function Timeline({
  stages,
  steps_per_epoch,
  selected,
  onSelect,
  onEdit,
}: {
  stages: readonly StageSpec[];
  /** For the axis in steps; null when not known. */
  steps_per_epoch: number | null;
  selected: number;
  onSelect: (index: number) => void;
  onEdit: OnEdit;
}) {
  const root = useRef<HTMLDivElement>(null);
  const total = totalEpochs(stages);
  const [span, setSpan] = useState<number | null>(null);
  const drag = useRef<{ kind: "border" | "stage"; index: number; moved: boolean } | null>(null);
  const shown = span ?? total;
  const percent = (epoch: number) => `${(epoch / shown) * 100}%`;

  const toEpoch = (event: PointerEvent): number => {
    const box = root.current?.getBoundingClientRect();
    return box ? ((event.clientX - box.left) / box.width) * shown : 0;
  };
  const begin = (event: PointerEvent, kind: "border" | "stage", index: number) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { kind, index, moved: false };
    setSpan(kind === "border" && index === stages.length - 1 ? total * 1.5 : total);
  };
  const move = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    const epoch = toEpoch(event);
    if (held.kind === "border") {
      const next = moveBorder(stages, held.index, epoch);
      if (next[held.index]?.to_epoch === stages[held.index]?.to_epoch) return;
      onEdit(next, held.moved);
      held.moved = true;
      return;
    }
    const over = stages.findIndex((stage) => epoch >= stage.from_epoch && epoch < stage.to_epoch);
    if (over < 0 || over === held.index) return;
    onEdit(moveStage(stages, held.index, over), held.moved);
    onSelect(over);
    drag.current = { ...held, index: over, moved: true };
  };
  const end = () => {
    drag.current = null;
    setSpan(null);
  };

  const onStageKey = (event: KeyboardEvent, index: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const target = index + step;
    if (step !== 0 && event.altKey && target >= 0 && target < stages.length) {
      onEdit(moveStage(stages, index, target));
      onSelect(target);
      focusStage(root.current, target);
    } else if (step !== 0 && !event.altKey && target >= 0 && target < stages.length) {
      onSelect(target);
      focusStage(root.current, target);
    } else if (event.key === "Delete" && stages.length > 1) {
      onEdit(removeStage(stages, index));
      onSelect(Math.max(0, index - 1));
    } else if (event.key === "s") onEdit(splitStage(stages, index));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBorderKey = (event: KeyboardEvent, index: number) => {
    const stage = stages[index];
    const by = {
      ArrowRight: EPOCH_GRID,
      ArrowUp: EPOCH_GRID,
      ArrowLeft: -EPOCH_GRID,
      ArrowDown: -EPOCH_GRID,
    }[event.key];
    if (!stage || by === undefined) return;
    onEdit(moveBorder(stages, index, stage.to_epoch + by * (event.shiftKey ? 4 : 1)));
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className={classes.timeline}>
      <div ref={root} className={classes.picture}>
        {stages.map((stage, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is its place; names can be alike while one types
            key={index}
            type="button"
            className={classes.stage}
            data-stage={index}
            aria-pressed={selected === index}
            style={{ left: percent(stage.from_epoch), width: percent(stage.to_epoch - stage.from_epoch) }}
            onClick={() => onSelect(index)}
            onPointerDown={(event) => begin(event, "stage", index)}
            onPointerMove={move}
            onPointerUp={end}
            onPointerCancel={end}
            onKeyDown={(event) => onStageKey(event, index)}
          >
            <Areas stage={stage} />
            <span className={classes.caption}>
              <VisuallyHidden>Stage {index + 1}, </VisuallyHidden>
              <span className={classes.captionName}>{stage.name || `stage ${index + 1}`}</span>{" "}
              <span className={classes.captionRatio}>{formatRatio(stage.weights)}</span>
              <VisuallyHidden>
                , epochs {stage.from_epoch} to {stage.to_epoch}
              </VisuallyHidden>
            </span>
          </button>
        ))}
        {stages.map((stage, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a border is its place
            key={index}
            className={classes.border}
            role="slider"
            tabIndex={0}
            aria-orientation="horizontal"
            aria-label={`End of stage ${index + 1}, in epochs`}
            aria-valuenow={stage.to_epoch}
            aria-valuemin={stage.from_epoch + EPOCH_GRID}
            aria-valuemax={stages[index + 1]?.to_epoch ?? stage.to_epoch + 100}
            style={{ left: percent(stage.to_epoch) }}
            onPointerDown={(event) => begin(event, "border", index)}
            onPointerMove={move}
            onPointerUp={end}
            onPointerCancel={end}
            onKeyDown={(event) => onBorderKey(event, index)}
          />
        ))}
      </div>
      <div className={classes.axis}>
        <span className={classes.tick} data-edge="start" style={{ left: 0 }}>
          0
        </span>
        {stages.map((stage, index) =>
          isCrowded(stages, index, shown) ? null : (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a border is its place
              key={index}
              className={classes.tick}
              data-edge={index === stages.length - 1 && span === null ? "end" : undefined}
              style={
                index === stages.length - 1 && span === null
                  ? { right: 0 }
                  : { left: percent(stage.to_epoch) }
              }
            >
              {formatEpoch(stage.to_epoch)}
              {steps_per_epoch !== null && (
                <span className={classes.steps}> · step {Math.round(stage.to_epoch * steps_per_epoch)}</span>
              )}
            </span>
          ),
        )}
      </div>
    </div>
  );
}

/** Share of the axis that a label takes. */
const LABEL_SHARE = 0.14;

/** True for a border whose label would lie over that of the one before, or over the last one's. */
function isCrowded(stages: readonly StageSpec[], index: number, shown: number): boolean {
  if (index === stages.length - 1) return false;
  const at = stages[index]?.to_epoch ?? 0;
  const end = stages.at(-1)?.to_epoch ?? 0;
  const before = stages.slice(0, index).findLast((_, k) => !isCrowded(stages, k, shown))?.to_epoch ?? 0;
  return (
    (at - before) / shown < LABEL_SHARE / (before === 0 ? 2 : 1) || (end - at) / shown < LABEL_SHARE * 1.5
  );
}

function focusStage(root: HTMLDivElement | null, index: number): void {
  requestAnimationFrame(() => root?.querySelector<HTMLElement>(`[data-stage="${index}"]`)?.focus());
}

function formatEpoch(epoch: number): string {
  return `epoch ${Number(epoch.toFixed(2))}`;
}
