import { Button } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { Link } from "@tanstack/react-router";
import { usePageTitle } from "./page-title.ts";

/** A URL that no page answers to. */
export function NotFoundPage() {
  usePageTitle("Not found");
  return (
    <EmptyState
      title="There is no page at this address"
      actions={
        <Button component={Link} to="/library">
          Open the library
        </Button>
      }
    >
      The address may be mistyped, or it comes from another version of Sightline.
    </EmptyState>
  );
}
