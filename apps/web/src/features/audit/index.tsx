import { EmptyState } from "@sightline/ui/empty-state";

export function AuditPage() {
  return <EmptyState title="Not built yet" />;
}
