import { Button, Tooltip } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import type { TablerIcon } from "@tabler/icons-react";
import { memo } from "react";
import classes from "./overlay-toggle.module.css";

type OverlayToggleProps = {
  /** Which overlay it is. */
  id: "matches" | "objects";
  name: string;
  /** What it draws, and its key. */
  label: string;
  icon: TablerIcon;
  is_on: boolean;
  /** What the overlay shows of this frame, or why there is nothing. */
  said: string;
  onToggle(): void;
};

/** Turns what is drawn over the picture on and off, and says what it shows. */
export function OverlayToggle({ onToggle, ...rest }: OverlayToggleProps) {
  return <Toggle {...rest} onToggle={useCallbackRef(onToggle)} />;
}

/** Not drawn anew with every frame that passes by. */
const Toggle = memo(function Toggle({
  id,
  name,
  label,
  icon: Icon,
  is_on,
  said,
  onToggle,
}: OverlayToggleProps) {
  return (
    <>
      <span className={classes.said} title={said} data-testid={id}>
        {said}
      </span>
      <Tooltip label={label} openDelay={500}>
        <Button
          size="compact-xs"
          className={classes.button}
          variant={is_on ? "light" : "default"}
          aria-pressed={is_on}
          leftSection={<Icon size={14} stroke={1.7} />}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onToggle}
        >
          {name}
        </Button>
      </Tooltip>
    </>
  );
});
