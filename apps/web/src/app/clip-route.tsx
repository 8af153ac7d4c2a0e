import { lazy } from "react";
import { ClipPage } from "../features/clip/index.tsx";
import type { ClipPane } from "./clip-pane.ts";

const panes: ClipPane[] = [
  {
    id: "triples",
    label: "Triples",
    Pane: lazy(() =>
      import("../features/triples/index.tsx").then(({ TriplesPane }) => ({ default: TriplesPane })),
    ),
  },
  {
    id: "ask",
    label: "Ask",
    Pane: lazy(() => import("../features/ask/index.tsx").then(({ AskPane }) => ({ default: AskPane }))),
  },
];

/** The clip page with the panes of the features that work on a clip. */
export function ClipRoute() {
  return <ClipPage panes={panes} />;
}
