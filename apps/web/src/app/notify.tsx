import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";

/** Says that something failed: what, and in the server's own sentence what to do. */
export function notifyFailure(title: string, error: unknown): void {
  notifications.show({
    color: "var(--sl-wrong)",
    title,
    message: error instanceof Error ? error.message : String(error),
    autoClose: 10_000,
  });
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
