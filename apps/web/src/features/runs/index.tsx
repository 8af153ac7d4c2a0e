import { EmptyState } from "@sightline/ui/empty-state";

export function RunsPage() {
  return <EmptyState title="Not built yet" />;
}

export function RunPage() {
  return <EmptyState title="Not built yet" />;
}

export function LaunchPage() {
  return <EmptyState title="Not built yet" />;
}
