import { Button, Group, Modal, NumberInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import type { BatchSource } from "@sightline/core/batches";
import { formatNumberOf } from "@sightline/core/format";
import { getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { create } from "zustand";
import { trpc } from "../clients.ts";
import { useClips } from "../clips.ts";
import { readNumber } from "../read-number.ts";
import { FolderPicker, type PickedFolder } from "./folder-picker.tsx";
import classes from "./start-batch.module.css";

/** What the dialog opens with: clips that were selected, or none. */
type Opening = { clip_ids: readonly string[]; settings: KeyFrameSettings | null };

const useOpening = create<{ opening: Opening | null }>(() => ({ opening: null }));

/**
 * Opens the dialog that starts a batch of key-frames.
 *
 * @param clip_ids  Clips that were selected; empty where the person chooses in the dialog.
 * @param settings  What stands in the form at first; null for the default preset.
 */
export function askForBatch(
  clip_ids: readonly string[] = [],
  settings: KeyFrameSettings | null = null,
): void {
  useOpening.setState({ opening: { clip_ids, settings } });
}

/** The dialog itself; the shell holds it, so that every page can open it. */
export function StartBatch() {
  const opening = useOpening((state) => state.opening);
  const close = () => useOpening.setState({ opening: null });
  return (
    <Modal
      opened={opening !== null}
      onClose={close}
      title="Key-frames of many clips"
      size={520}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {opening !== null && <Form opening={opening} onDone={close} />}
    </Modal>
  );
}

type From = BatchSource["kind"];

function Form({ opening, onDone }: { opening: Opening; onDone: () => void }) {
  const navigate = useNavigate();
  const clips = useClips({ trash: false }).data ?? [];
  const tags = [...new Set(clips.flatMap((clip) => clip.tags))].sort();
  const selected = opening.clip_ids.length;
  const [from, setFrom] = useState<From>(selected > 0 ? "clips" : "all");
  const [tag, setTag] = useState<string | null>(null);
  const [folder, setFolder] = useState<PickedFolder | null>(null);
  const [settings, setSettings] = useState(opening.settings ?? getPresetSettings("sightline"));
  const [name, setName] = useState("");
  const start = useMutation(
    trpc.batches.start.mutationOptions({
      onSuccess({ batch_id }) {
        onDone();
        void navigate({ to: "/batches/$batchId", params: { batchId: batch_id }, search: {} });
      },
    }),
  );
  const source = toSource(from, tag ?? tags[0] ?? null, folder);
  const change = (part: Partial<KeyFrameSettings>) => setSettings((now) => ({ ...now, ...part }));
  const choices: { value: From; label: string }[] = [
    ...(selected > 0
      ? [{ value: "clips" as const, label: `${formatNumberOf(selected, "clip")} selected` }]
      : []),
    { value: "all", label: `Whole library (${clips.length})` },
    ...(tags.length > 0 ? [{ value: "tag" as const, label: "A tag" }] : []),
    { value: "folder", label: "A folder" },
  ];
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (source === null) return;
        const clip_ids = source.kind === "clips" ? [...opening.clip_ids] : [];
        start.mutate({ name, source, clip_ids, settings });
      }}
    >
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Which clips"
        value={from}
        onChange={(value) => setFrom(value as From)}
        data={choices}
      />
      {from === "tag" && (
        <Select
          size="xs"
          label="Clips with the tag"
          data={tags.map((one) => ({
            value: one,
            label: `${one} (${clips.filter((clip) => clip.tags.includes(one)).length})`,
          }))}
          value={tag ?? tags[0] ?? null}
          onChange={setTag}
          allowDeselect={false}
          searchable={tags.length > 8}
        />
      )}
      {from === "folder" && <FolderPicker folder={folder} onPick={setFolder} />}
      <div className={classes.settings}>
        <Select
          size="xs"
          label="Preset"
          data={["sightline", "embodied-r"]}
          value={settings.preset}
          onChange={(preset) => setSettings(getPresetSettings(preset as KeyFrameSettings["preset"]))}
          allowDeselect={false}
        />
        <NumberInput
          size="xs"
          label="Threshold"
          min={0}
          max={1}
          step={0.01}
          decimalScale={2}
          fixedDecimalScale
          value={settings.threshold}
          onChange={(value) => change({ threshold: readNumber(value) ?? settings.threshold })}
        />
        <NumberInput
          size="xs"
          label="Every"
          suffix=" s"
          min={0.05}
          max={3600}
          step={0.5}
          decimalScale={2}
          disabled={settings.sampling === "released"}
          value={settings.interval_secs}
          onChange={(value) => change({ interval_secs: readNumber(value) ?? settings.interval_secs })}
        />
      </div>
      <TextInput
        size="xs"
        label="Name"
        data-autofocus
        placeholder={proposeName(from, selected, clips.length, tag ?? tags[0] ?? "", folder)}
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {start.isError && (
        <p className={classes.problem} role="alert">
          {start.error.message}
        </p>
      )}
      <Group justify="space-between" wrap="nowrap">
        <p className={classes.hint}>
          {from === "folder"
            ? "The files are copied into the library. What is there already is counted at once."
            : "What has key-frames under these settings already is counted at once."}
        </p>
        <Button type="submit" size="xs" flex="none" loading={start.isPending} disabled={source === null}>
          Start
        </Button>
      </Group>
    </form>
  );
}

function toSource(from: From, tag: string | null, folder: PickedFolder | null): BatchSource | null {
  if (from === "tag") return tag === null ? null : { kind: "tag", tag };
  if (from === "folder") return folder && { kind: "folder", folder_id: folder.folder_id, path: folder.path };
  return { kind: from };
}

/** What the server calls it where the person gives it no name. */
function proposeName(
  from: From,
  selected: number,
  all: number,
  tag: string,
  folder: PickedFolder | null,
): string {
  if (from === "tag") return tag;
  if (from === "folder") return folder?.path.split("/").at(-1) ?? "";
  return formatNumberOf(from === "clips" ? selected : all, "clip");
}
