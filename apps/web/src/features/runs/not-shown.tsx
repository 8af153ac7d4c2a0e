import { Button } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconChartLine } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { isNotYet } from "../../app/clients.ts";

/** Stands in place of a page whose run or sweep the server can't give, or can't give yet, with the way back. */
export function NotShown({ what, problem }: { what: "run" | "sweep"; problem: { message: string } }) {
  return (
    <EmptyState
      icon={<IconChartLine size={28} stroke={1.4} />}
      title={isNotYet(problem) ? `This ${what} is not there yet` : `This ${what} cannot be shown`}
      actions={
        <Button component={Link} to="/runs" variant="default" size="xs">
          All runs
        </Button>
      }
    >
      {problem.message}
    </EmptyState>
  );
}
