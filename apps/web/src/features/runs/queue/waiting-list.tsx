import { ActionIcon } from "@mantine/core";
import type { RunSummary } from "@sightline/core/runs";
import { IconArrowBarToUp, IconArrowDown, IconArrowUp, IconGripVertical, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { moveInQueue, stop } from "../commands.ts";
import { SimulatedBadge } from "../simulated-badge.tsx";
import classes from "./queue-page.module.css";

/** Where a dragged run would land: before one of the list, or null for its end. */
type Landing = { before: string | null };

/** The runs that wait for a host, the next one first: moved by dragging, by buttons and by keys. */
export function WaitingList({ waiting, host }: { waiting: readonly RunSummary[]; host: string }) {
  const [dragged, setDragged] = useState<RunSummary | null>(null);
  const [landing, setLanding] = useState<Landing | null>(null);
  const idAt = (index: number) => waiting[index]?.run_id ?? null;
  const drop = () => {
    if (dragged && landing && landing.before !== dragged.run_id) void moveInQueue(dragged, landing.before);
    setDragged(null);
    setLanding(null);
  };
  return (
    <ol className={classes.rows} aria-label={`Waiting for ${host}`}>
      {waiting.map((run, index) => (
        <WaitingRow
          key={run.run_id}
          run={run}
          isDragged={dragged?.run_id === run.run_id}
          landsHere={
            landing === null || dragged === null
              ? null
              : landing.before === run.run_id
                ? "before"
                : landing.before === null && index === waiting.length - 1
                  ? "after"
                  : null
          }
          onDrag={() => setDragged(run)}
          onOver={(isUpper) => {
            if (dragged) setLanding({ before: isUpper ? run.run_id : idAt(index + 1) });
          }}
          onDrop={drop}
          moves={{
            up: index === 0 ? null : () => void moveInQueue(run, idAt(index - 1)),
            down: index === waiting.length - 1 ? null : () => void moveInQueue(run, idAt(index + 2)),
            top: index === 0 ? null : () => void moveInQueue(run, idAt(0)),
          }}
        />
      ))}
    </ol>
  );
}

type Move = (() => void) | null;

function WaitingRow({
  run,
  isDragged,
  landsHere,
  onDrag,
  onOver,
  onDrop,
  moves,
}: {
  run: RunSummary;
  isDragged: boolean;
  landsHere: "before" | "after" | null;
  onDrag: () => void;
  /** With true while the pointer is in the row's upper half. */
  onOver: (isUpper: boolean) => void;
  onDrop: () => void;
  moves: { up: Move; down: Move; top: Move };
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, Move> = { ArrowUp: moves.up, ArrowDown: moves.down, Home: moves.top };
    const move = event.altKey ? keys[event.key] : event.key === "Delete" ? () => void stop(run) : undefined;
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move?.();
  };
  return (
    <li
      className={classes.waiting}
      data-run={run.run_id}
      data-dragged={isDragged || undefined}
      data-lands={landsHere ?? undefined}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", run.name);
        onDrag();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        onOver(event.clientY < top + height / 2);
      }}
      onDrop={(event) => {
        event.preventDefault();
        onDrop();
      }}
      onDragEnd={onDrop}
      onKeyDown={onKeyDown}
    >
      <IconGripVertical className={classes.grip} size={15} stroke={1.6} aria-hidden />
      <span className={classes.position}>{run.queue?.position}</span>
      <span className={classes.name}>
        <Link to="/runs/$runId" params={{ runId: run.run_id }} className={classes.link} draggable={false}>
          {run.name}
        </Link>
        <SimulatedBadge run={run} />
      </span>
      <span className={classes.why}>{run.queue?.why}</span>
      <span className={classes.buttons}>
        <MoveButton label={`Move ${run.name} to the top`} Icon={IconArrowBarToUp} move={moves.top} />
        <MoveButton label={`Move ${run.name} up`} Icon={IconArrowUp} move={moves.up} />
        <MoveButton label={`Move ${run.name} down`} Icon={IconArrowDown} move={moves.down} />
        <MoveButton label={`Cancel ${run.name}`} Icon={IconX} move={() => void stop(run)} />
      </span>
    </li>
  );
}

function MoveButton({ label, Icon, move }: { label: string; Icon: typeof IconX; move: Move }) {
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      data-disabled={move === null || undefined}
      aria-disabled={move === null || undefined}
      onClick={() => move?.()}
    >
      <Icon size={15} stroke={1.7} />
    </ActionIcon>
  );
}
