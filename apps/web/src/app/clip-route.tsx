import { ClipPage } from "../features/clip/index.tsx";
import type { ClipPane } from "./clip-pane.ts";

const panes: ClipPane[] = [];

/** The clip page with the panes of the features that work on a clip. */
export function ClipRoute() {
  return <ClipPage panes={panes} />;
}
