import { Button } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconPlugConnectedX } from "@tabler/icons-react";

/** Stands in place of everything when the server no longer admits this browser. */
export function SessionLost() {
  return (
    <EmptyState
      icon={<IconPlugConnectedX size={32} stroke={1.5} />}
      title="Open the printed URL again"
      actions={<Button onClick={() => location.reload()}>Try again</Button>}
    >
      This browser is not, or no longer, signed in. When Sightline starts it prints a URL with a token in the
      terminal: open that URL once in this browser. Nothing that you made is lost.
    </EmptyState>
  );
}
