import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../../app/clients.ts";
import { notifyDone } from "../../../app/notify.tsx";

const HERE = "data-folder";

/** Where a checkpoint is brought to: the data folder, or one that the owner listed. */
export function FetchDialog({ run_id, step, onDone }: { run_id: string; step: number; onDone: () => void }) {
  const folders = useQuery(trpc.clips.folders.queryOptions()).data ?? [];
  const [folder_id, setFolder] = useState(HERE);
  const [path, setPath] = useState("");
  const fetch = useMutation(
    trpc.runs.fetchCheckpoint.mutationOptions({
      onSuccess: () => {
        notifyDone("It is being fetched; progress is at the foot of the page, where it can be cancelled.");
        onDone();
      },
    }),
  );
  return (
    <Stack gap="sm">
      <Select
        label="To"
        allowDeselect={false}
        data={[
          { value: HERE, label: "The data folder of this server" },
          ...folders.map((folder) => ({ value: folder.folder_id, label: folder.path })),
        ]}
        value={folder_id}
        onChange={(value) => setFolder(value ?? HERE)}
      />
      {folder_id !== HERE && (
        <TextInput
          label="Folder in it"
          description="It must be there; empty for the listed folder itself"
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
      )}
      <Text size="sm" c="var(--sl-ink-2)">
        Every file is held against the host's SHA-256. What was cancelled or cut goes on where it was.
      </Text>
      {fetch.isError && (
        <Text size="sm" c="var(--sl-wrong-text)" role="alert">
          {fetch.error.message}
        </Text>
      )}
      <Group justify="flex-end">
        <Button
          loading={fetch.isPending}
          onClick={() =>
            fetch.mutate({ run_id, step, to: folder_id === HERE ? null : { folder_id, path: path.trim() } })
          }
        >
          Fetch
        </Button>
      </Group>
    </Stack>
  );
}
