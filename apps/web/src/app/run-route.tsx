import { lazy } from "react";
import { GroupPage, RunPage } from "../features/runs/index.tsx";
import { type TracePanel, TracePanels } from "./trace/index.tsx";

const panels: TracePanel[] = [
  {
    id: "links",
    label: "Which link broke?",
    Panel: lazy(() => import("./links/index.tsx").then(({ LinksPanel }) => ({ default: LinksPanel }))),
  },
];

/** A run with the panels of the features that look into its completions. */
export function RunRoute() {
  return (
    <TracePanels value={panels}>
      <RunPage />
    </TracePanels>
  );
}

/** A group of a run, with the same panels. */
export function GroupRoute() {
  return (
    <TracePanels value={panels}>
      <GroupPage />
    </TracePanels>
  );
}
