import { lazy } from "react";
import type { TracePanel } from "./trace/panels.ts";

/** What other features say of a run's completion. */
export const runPanels: TracePanel[] = [
  {
    id: "links",
    label: "Which link broke?",
    Panel: lazy(() => import("./links/index.tsx").then(({ LinksPanel }) => ({ default: LinksPanel }))),
  },
];
