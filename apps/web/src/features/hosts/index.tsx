import { EmptyState } from "@sightline/ui/empty-state";

export function HostsPage() {
  return <EmptyState title="Not built yet" />;
}
