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

/** Says what was done and offers to take it back. */
export function notifyUndoable(message: string, undo: () => void): void {
  const id = crypto.randomUUID();
  notifications.show({
    id,
    autoClose: 8000,
    message: (
      <span style={{ display: "flex", alignItems: "center", justifyContent: "space-between", gap: 12 }}>
        {message}
        <Button
          variant="light"
          size="compact-xs"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </span>
    ),
  });
}
