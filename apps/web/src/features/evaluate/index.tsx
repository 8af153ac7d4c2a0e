import { EmptyState } from "@sightline/ui/empty-state";

export function EvaluatePage() {
  return <EmptyState title="Not built yet" />;
}
