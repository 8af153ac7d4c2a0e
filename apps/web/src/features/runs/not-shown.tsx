import { Button } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { Link } from "@tanstack/react-router";

/** Stands in place of a page whose run or sweep the server can't give, with the way back. */
export function NotShown({ what, problem }: { what: "run" | "sweep"; problem: string }) {
  return (
    <EmptyState
      title={`This ${what} cannot be shown`}
      actions={
        <Button component={Link} to="/runs" variant="default" size="xs">
          All runs
        </Button>
      }
    >
      {problem}
    </EmptyState>
  );
}
