import { ActionIcon, Tooltip } from "@mantine/core";
import { formatClock } from "@sightline/core/format";
import {
  IconChevronLeft,
  IconChevronRight,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBackFilled,
  IconPlayerSkipForwardFilled,
} from "@tabler/icons-react";
import { memo, type ReactNode, useState } from "react";
import classes from "./player.module.css";
import type { Transport } from "./use-transport.ts";

/** The player's buttons with the frame's number and time between them. */
export function TransportBar({
  transport,
  frame,
  frame_count,
  time_secs,
  duration_secs,
  children,
}: {
  transport: Transport;
  frame: number;
  frame_count: number;
  time_secs: number;
  duration_secs: number | null;
  /** Controls of the page at the right end. */
  children?: ReactNode;
}) {
  return (
    <div className={classes.bar}>
      <div className={classes.readout}>
        <FrameField frame={frame} frame_count={frame_count} onFrame={transport.goTo} />
        <span className={classes.dot}>·</span>
        <span data-testid="frame-time">{time_secs.toFixed(2)} s</span>
        {duration_secs !== null && <span className={classes.duration}>of {formatClock(duration_secs)}</span>}
      </div>
      <Buttons transport={transport} last={frame_count - 1} />
      <div className={classes.extra}>{children}</div>
    </div>
  );
}

/** Apart from the readout, which changes with every frame. */
const Buttons = memo(function Buttons({ transport, last }: { transport: Transport; last: number }) {
  const { rate } = transport;
  return (
    <div className={classes.buttons}>
      <Control label="First frame" keys="Home" onClick={() => transport.goTo(0)}>
        <IconPlayerSkipBackFilled size={13} />
      </Control>
      <Control label="Previous frame" keys="," onClick={() => transport.step(-1)}>
        <IconChevronLeft size={17} />
      </Control>
      <Control label={rate === 0 ? "Play" : "Pause"} keys="Space" onClick={transport.toggle} strong>
        {rate === 0 ? <IconPlayerPlayFilled size={15} /> : <IconPlayerPauseFilled size={15} />}
      </Control>
      <Control label="Next frame" keys="." onClick={() => transport.step(1)}>
        <IconChevronRight size={17} />
      </Control>
      <Control label="Last frame" keys="End" onClick={() => transport.goTo(last)}>
        <IconPlayerSkipForwardFilled size={13} />
      </Control>
      <span className={classes.rate} data-testid="rate">
        {rate === 0 || rate === 1 ? "" : `${rate < 0 ? "−" : ""}${Math.abs(rate)}×`}
      </span>
    </div>
  );
});

function Control({
  label,
  keys,
  strong = false,
  onClick,
  children,
}: {
  label: string;
  keys: string;
  strong?: boolean;
  onClick(): void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={`${label} · ${keys}`} openDelay={500}>
      <ActionIcon
        variant={strong ? "light" : "subtle"}
        color={strong ? undefined : "gray"}
        size={strong ? 30 : 28}
        aria-label={label}
        // The focus stays with the page, whose keys go on working.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** The frame's number; a click turns it into a field that takes another. */
function FrameField({
  frame,
  frame_count,
  onFrame,
}: {
  frame: number;
  frame_count: number;
  onFrame(frame: number): void;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null) {
    return (
      <button
        type="button"
        className={classes.frame}
        data-testid="frame-number"
        title="Go to a frame"
        onClick={() => setDraft(String(frame))}
      >
        frame {frame}
      </button>
    );
  }
  const wanted = Number(draft);
  const valid = /^\d+$/.test(draft.trim()) && wanted < frame_count;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!valid) return;
        onFrame(wanted);
        setDraft(null);
      }}
    >
      <label className={classes.field}>
        frame{" "}
        <input
          // biome-ignore lint/a11y/noAutofocus: the field appears because the person asked for it.
          autoFocus
          inputMode="numeric"
          value={draft}
          aria-invalid={!valid}
          title={`0 to ${frame_count - 1}`}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onBlur={() => setDraft(null)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setDraft(null);
          }}
        />
      </label>
    </form>
  );
}
