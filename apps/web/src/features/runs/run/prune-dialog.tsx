import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import type { CheckpointRow } from "@sightline/core/runs";
import { useState } from "react";
import { chooseWhatGoes, type PruneChoice } from "./prune.ts";

/** Says what would be deleted, and deletes it only then. */
export function PruneDialog({
  checkpoints,
  onPrune,
  onClose,
}: {
  checkpoints: readonly CheckpointRow[];
  onPrune: (choice: PruneChoice) => void;
  onClose: () => void;
}) {
  const [choice, setChoice] = useState<PruneChoice>({ keep: 2, keeps_stage_ends: true });
  const gone = chooseWhatGoes(checkpoints, choice);
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <Modal opened onClose={onClose} title="Delete checkpoints on the host">
      <Stack gap="sm">
        <NumberInput
          size="sm"
          label="Keep the newest"
          min={0}
          max={10_000}
          allowDecimal={false}
          value={choice.keep}
          onChange={(value) => setChoice({ ...choice, keep: typeof value === "number" ? value : 0 })}
        />
        <Checkbox
          label="Keep where a stage ends"
          checked={choice.keeps_stage_ends}
          onChange={(event) => setChoice({ ...choice, keeps_stage_ends: event.currentTarget.checked })}
        />
        <Text size="sm" role="status">
          {gone.length === 0
            ? "Nothing would be deleted."
            : `Steps ${gone.map(({ step }) => step).join(", ")} are deleted for good, ${formatBytes(bytes)}.`}{" "}
          What a resume needs and what runs were forked from stays.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Keep all
          </Button>
          <Button color="var(--sl-wrong)" disabled={gone.length === 0} onClick={() => onPrune(choice)}>
            Delete {formatNumberOf(gone.length, "checkpoint")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
