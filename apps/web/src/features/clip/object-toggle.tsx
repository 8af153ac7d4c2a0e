import { Button, Tooltip } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { IconFrame } from "@tabler/icons-react";
import classes from "./match-toggle.module.css";
import type { ObjectState } from "./use-objects.ts";

/** Turns the detector's boxes on the picture on and off, and says what was found. */
export function ObjectToggle({ objects, onToggle }: { objects: ObjectState; onToggle(): void }) {
  const said = describe(objects);
  return (
    <>
      <span className={classes.said} title={said} data-testid="objects">
        {said}
      </span>
      <Tooltip label="Objects that the small detector finds · O" openDelay={500}>
        <Button
          size="compact-xs"
          className={classes.button}
          variant={objects.state === "off" ? "default" : "light"}
          aria-pressed={objects.state !== "off"}
          leftSection={<IconFrame size={14} stroke={1.7} />}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onToggle}
        >
          Objects
        </Button>
      </Tooltip>
    </>
  );
}

function describe(objects: ObjectState): string {
  if (objects.state === "failed") return objects.why;
  if (objects.state === "looking") return "Looking…";
  if (objects.state === "off") return "";
  const { length } = objects.detections;
  return length === 0 ? "None of 80 kinds found" : formatNumberOf(length, "object", "objects");
}
