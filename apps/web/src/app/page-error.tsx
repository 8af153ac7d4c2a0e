import { Button, Code } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ErrorComponentProps } from "@tanstack/react-router";

/** What stands in a page's place when it fails to draw; the shell around it stays alive. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <EmptyState
      icon={<IconAlertTriangle size={28} stroke={1.5} color="var(--sl-wrong)" />}
      title="This page could not be shown"
      actions={
        <>
          <Button onClick={reset}>Try again</Button>
          <Button variant="default" onClick={() => location.reload()}>
            Reload
          </Button>
        </>
      }
    >
      Nothing is lost: what you made is on the server. The page said:{" "}
      <Code>{error instanceof Error ? error.message : String(error)}</Code>
    </EmptyState>
  );
}
