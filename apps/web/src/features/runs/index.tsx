export { LaunchPage } from "./launch/launch-page.tsx";
export { RunsPage } from "./list/runs-page.tsx";
export { RunPage } from "./run/run-page.tsx";
