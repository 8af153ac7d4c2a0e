import { Button, Group, Modal, TagsInput, Text } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatNumberOf } from "@sightline/core/format";
import { useState } from "react";
import { setTags } from "./commands.ts";

/** The tags of one clip, or those that several clips share. */
export function TagsDialog({
  clips,
  known,
  onClose,
}: {
  clips: readonly Clip[];
  /** All tags in use, as suggestions. */
  known: readonly string[];
  onClose: () => void;
}) {
  const shared = (clips[0]?.tags ?? []).filter((tag) => clips.every(({ tags }) => tags.includes(tag)));
  const [wanted, setWanted] = useState(shared);
  const save = () => {
    const removed = shared.filter((tag) => !wanted.includes(tag));
    void setTags(clips, (tags) => [...new Set([...tags.filter((tag) => !removed.includes(tag)), ...wanted])]);
    onClose();
  };
  const title =
    clips.length === 1 ? `Tags of ${clips[0]?.name}` : `Tags of ${formatNumberOf(clips.length, "clip")}`;
  return (
    <Modal opened onClose={onClose} title={title} size="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TagsInput
          data-autofocus
          aria-label="Tags"
          placeholder={wanted.length === 0 ? "indoor, drone, kitchen…" : undefined}
          data={[...known]}
          value={wanted}
          onChange={setWanted}
          maxTags={50}
          acceptValueOnBlur
          splitChars={[","]}
        />
        {clips.length > 1 && (
          <Text size="xs" c="dimmed" mt={6}>
            Shown are the tags that all of them have. What you add goes to each; other tags stay.
          </Text>
        )}
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Save</Button>
        </Group>
      </form>
    </Modal>
  );
}
