import { EmptyState } from "@sightline/ui/empty-state";

export function SettingsPage() {
  return <EmptyState title="Not built yet" />;
}
