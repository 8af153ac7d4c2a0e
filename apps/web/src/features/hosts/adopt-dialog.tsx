import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import type { HostSummary } from "@sightline/core/hosts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";

/** Takes an interpreter that is on the host already, by its path there. */
export function AdoptDialog({ host, onClose }: { host: HostSummary; onClose: () => void }) {
  const [python, setPython] = useState("");
  const prepare = useMutation(trpc.hosts.prepare.mutationOptions({ onSuccess: onClose }));
  return (
    <Modal opened onClose={onClose} title={`Adopt an interpreter on ${host.name}`} size="md">
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          prepare.mutate({ host_id: host.host_id, profile: "adopt", python: python.trim(), repair: true });
        }}
      >
        <Stack gap="sm">
          <TextInput
            size="xs"
            label="Path of the interpreter"
            description="A Python 3.10 or newer on the host that has PyTorch and TRL. It is looked at and never changed."
            required
            data-autofocus
            placeholder="~/venv/bin/python"
            value={python}
            onChange={({ currentTarget }) => setPython(currentTarget.value)}
          />
          {prepare.error && (
            <Alert color="var(--sl-wrong)" role="alert">
              {prepare.error.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={prepare.isPending}>
              Adopt
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
