import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { TRPCClientError } from "@trpc/client";

/** Says that something failed: what, and in the server's own sentence what to do. */
export function notifyFailure(title: string, error: unknown): void {
  notifications.show({
    color: "var(--sl-wrong)",
    title,
    message: explain(error),
    autoClose: 10_000,
  });
}

function explain(error: unknown): string {
  // Each browser words it in its own way when a server can't be reached.
  if (error instanceof TRPCClientError && !error.shape && error.cause instanceof TypeError)
    return "The server is not answering. Try again when it is back.";
  return error instanceof Error ? error.message : String(error);
}

/** Says what was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, autoClose: 4000, withBorder: true });
}

/** There is one offer to undo at a time: the last. */
const UNDOABLE = "undoable";

/** Takes the offer back, because what it offers has been done in another way. */
export function hideUndoable(): void {
  notifications.hide(UNDOABLE);
}

/** Says what was done and offers to take it back. */
export function notifyUndoable(message: string, undo: () => void): void {
  notifications.hide(UNDOABLE);
  notifications.show({
    id: UNDOABLE,
    autoClose: 8000,
    message: (
      <span style={{ display: "flex", alignItems: "center", justifyContent: "space-between", gap: 12 }}>
        {message}
        <Button
          variant="light"
          size="compact-xs"
          onClick={() => {
            hideUndoable();
            undo();
          }}
        >
          Undo
        </Button>
      </span>
    ),
  });
}
