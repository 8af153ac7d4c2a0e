import type { LineOf } from "@sightline/core/wire";
import { type ComponentType, createContext } from "react";

/** What the inspector tells a panel beside a completion of a run. The line's run, attempt and seq name it for good. */
export type TracePanelProps = {
  completion: LineOf<"completion">;
  /** Of its group; null when it was not kept. */
  prompt: string | null;
  /** Number of the key-frame, or of the move, that is pointed at anywhere in the inspector. */
  pointed: number | null;
  onPoint(index: number | null): void;
};

/** A part of another feature in the inspector. */
export type TracePanel = { id: "links"; label: string; Panel: ComponentType<TracePanelProps> };

/** The panels that the inspector of a run's completion shows; the route gives them, because features don't know each other. */
export const TracePanels = createContext<readonly TracePanel[]>([]);
