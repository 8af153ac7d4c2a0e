export { GroupPage } from "./group/group-page.tsx";
export { LaunchPage } from "./launch/launch-page.tsx";
export { RunsPage } from "./list/runs-page.tsx";
export { QueuePage } from "./queue/queue-page.tsx";
export { RunPage } from "./run/run-page.tsx";
export { SweepPage } from "./sweep/sweep-page.tsx";
