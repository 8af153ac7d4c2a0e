import { EmptyState } from "@sightline/ui/empty-state";

export function ComparePage() {
  return <EmptyState title="Not built yet" />;
}
