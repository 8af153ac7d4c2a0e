import { EmptyState } from "@sightline/ui/empty-state";

export function ClipPage() {
  return <EmptyState title="Not built yet" />;
}
