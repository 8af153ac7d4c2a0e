import { GroupPage } from "../features/runs/group/group-page.tsx";
import { runPanels } from "./run-panels.ts";
import { TracePanels } from "./trace/panels.ts";

/** A group of a run, with the panels of the features that look into its completions. */
export function GroupRoute() {
  return (
    <TracePanels value={runPanels}>
      <GroupPage />
    </TracePanels>
  );
}
