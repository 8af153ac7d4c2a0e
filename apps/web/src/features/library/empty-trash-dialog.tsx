import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import { useMutation, useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import { notifyDone } from "../../app/notify.tsx";

/** Clips that are named; the rest is counted. */
const NAMED = 8;

/** Says what would be deleted and how much that frees, and deletes it only then. */
export function EmptyTrashDialog({ clips, onClose }: { clips: readonly Clip[]; onClose: () => void }) {
  const weighed = useQuery({ ...trpc.clips.weighTrash.queryOptions(), staleTime: 0, gcTime: 0 });
  const empty = useMutation(
    trpc.clips.emptyTrash.mutationOptions({
      onSuccess(count) {
        onClose();
        notifyDone(`Deleted the ${count === 1 ? "video" : "videos"} of ${formatNumberOf(count, "clip")}`);
      },
    }),
  );
  const { clip_ids = [], bytes = 0 } = weighed.data ?? {};
  const gone = new Set(clip_ids);
  const names = clips.filter(({ clip_id }) => gone.has(clip_id)).map(({ name }) => name);
  const waiting = clips.length - names.length;
  const problem = weighed.error ?? empty.error;
  return (
    <Modal opened onClose={onClose} title="Empty the trash">
      <Stack gap="sm">
        <Text size="sm" role="status">
          {weighed.data === undefined
            ? "Looking at what is in the trash …"
            : clip_ids.length === 0
              ? "Nothing can be deleted now."
              : `The videos of ${formatNumberOf(names.length, "clip")} are deleted for good, ${formatBytes(bytes)}: ${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}.`}
          {weighed.data !== undefined &&
            waiting > 0 &&
            ` ${formatNumberOf(waiting, "clip")} still being read or copied ${waiting === 1 ? "stays" : "stay"}.`}
        </Text>
        <Text size="sm" c="dimmed">
          Thumbnails, key-frames, decisions and triples stay, so that runs and questions on these clips can
          still be read. Adding the same file again brings a clip back whole.
        </Text>
        {problem !== null && (
          <Text size="sm" c="var(--sl-wrong)" role="alert">
            {problem.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep all
          </Button>
          <Button
            color="var(--sl-wrong)"
            disabled={clip_ids.length === 0}
            loading={empty.isPending}
            onClick={() => empty.mutate({ clip_ids })}
          >
            Delete {formatNumberOf(names.length, "video")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
