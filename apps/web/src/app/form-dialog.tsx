import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./form-dialog.module.css";

/** A few fields that are saved together; what is wrong with them stands above the buttons. */
export function FormDialog({
  title,
  problem,
  isSaving,
  aside,
  onSave,
  onClose,
  children,
}: {
  title: string;
  problem: string | null;
  isSaving: boolean;
  /** What else can be done, left of the buttons. */
  aside?: ReactNode;
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal opened onClose={onClose} title={title} size="md">
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        <Stack gap="sm">
          {children}
          {problem !== null && (
            <p className={classes.problem} role="alert">
              {problem}
            </p>
          )}
          <Group justify="flex-end" gap={8}>
            {aside}
            <Button size="xs" variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button size="xs" type="submit" loading={isSaving}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
