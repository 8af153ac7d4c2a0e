import { RunPage } from "../features/runs/run/run-page.tsx";
import { runPanels } from "./run-panels.ts";
import { TracePanels } from "./trace/panels.ts";

/** A run with the panels of the features that look into its completions. */
export function RunRoute() {
  return (
    <TracePanels value={runPanels}>
      <RunPage />
    </TracePanels>
  );
}
