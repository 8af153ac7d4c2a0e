import { Button, Group, Modal, Pill, TagsInput, Text, UnstyledButton } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatNumberOf } from "@sightline/core/format";
import { useState } from "react";
import { setTags } from "./commands.ts";

/** How many tags in use are offered. */
const SUGGESTED = 12;

/** A tag holds no comma, however it came in. */
function splitTags(tags: readonly string[]): string[] {
  const parts = tags.flatMap((tag) => tag.split(",")).map((tag) => tag.trim());
  return [...new Set(parts.filter((tag) => tag !== ""))];
}

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
  const others = known.filter((tag) => !wanted.includes(tag));
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
          value={wanted}
          onChange={(tags) => setWanted(splitTags(tags))}
          maxTags={50}
          acceptValueOnBlur
          splitChars={[","]}
        />
        {others.length > 0 && (
          <Group gap={4} mt={8}>
            <Text size="xs" c="dimmed" mr={4}>
              In use
            </Text>
            {others.slice(0, SUGGESTED).map((tag) => (
              <UnstyledButton key={tag} onClick={() => setWanted([...wanted, tag])} aria-label={`Add ${tag}`}>
                <Pill size="sm">{tag}</Pill>
              </UnstyledButton>
            ))}
          </Group>
        )}
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
