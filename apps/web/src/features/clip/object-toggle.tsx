import { formatNumberOf } from "@sightline/core/format";
import { IconFrame } from "@tabler/icons-react";
import { OverlayToggle } from "./overlay-toggle.tsx";
import type { ObjectState } from "./use-objects.ts";

/** Turns the detector's boxes on the picture on and off, and says what was found. */
export function ObjectToggle({ objects, onToggle }: { objects: ObjectState; onToggle(): void }) {
  return (
    <OverlayToggle
      id="objects"
      name="Objects"
      label="Objects that the small detector finds · O"
      icon={IconFrame}
      is_on={objects.state !== "off"}
      said={describe(objects)}
      onToggle={onToggle}
    />
  );
}

function describe(objects: ObjectState): string {
  if (objects.state === "failed") return objects.why;
  if (objects.state === "looking") return "Looking…";
  if (objects.state === "off") return "";
  const { length } = objects.detections;
  return length === 0 ? "None of 80 kinds found" : formatNumberOf(length, "object", "objects");
}
