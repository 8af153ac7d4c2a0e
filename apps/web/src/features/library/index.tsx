import { EmptyState } from "@sightline/ui/empty-state";

export function LibraryPage() {
  return <EmptyState title="Not built yet" />;
}
