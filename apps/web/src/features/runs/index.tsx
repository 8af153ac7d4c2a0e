import { EmptyState } from "@sightline/ui/empty-state";

export { RunPage } from "./run/run-page.tsx";

export function RunsPage() {
  return <EmptyState title="Not built yet" />;
}

export function LaunchPage() {
  return <EmptyState title="Not built yet" />;
}
