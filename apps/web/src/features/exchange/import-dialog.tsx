import { Button, Group, Loader, Modal, Progress, SegmentedControl, Stack } from "@mantine/core";
import { changesSomething, type FrameBase, type ImportPreview } from "@sightline/core/exchange";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, useRef, useState } from "react";
import { client, trpc } from "../../app/clients.ts";
import { closeExchange, type ExportChoice } from "../../app/exchange/exchange.ts";
import { notifyDone, notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import classes from "./exchange.module.css";
import { PreviewList } from "./preview-list.tsx";
import { useFiles } from "./use-files.ts";

/** Takes files, shows what they would change, and changes it when a person says so. */
export function ImportDialog({ at }: { at: ExportChoice | null }) {
  const [base, setBase] = useState<FrameBase | null>(null);
  const files = useFiles(at, base);
  const { preview } = files;
  const close = () => {
    files.drop();
    closeExchange();
  };
  const take = useMutation(
    trpc.exchange.import.mutationOptions({
      onSuccess(outcome) {
        close();
        const words = describeOutcome(outcome.made.length, outcome.videos);
        if (outcome.made.length === 0) return notifyDone(words);
        notifyUndoable(words, () => {
          client.exchange.undo
            .mutate({ made: outcome.made })
            .then(() => notifyDone("Took the import back"))
            .catch((error: unknown) => notifyFailure("Could not take the import back", error));
        });
      },
    }),
  );
  const changing = preview?.entries.filter(changesSomething) ?? [];
  const videos = preview?.lost.length ?? 0;
  const asks_base = base !== null || preview?.faults.some(({ needs_base }) => needs_base) === true;

  return (
    <Modal opened onClose={close} title="Import key-frames" size="xl">
      <Stack gap="md" pt={4}>
        <Group gap={8}>
          <FileButton label="Choose files…" onFiles={files.hand} data-autofocus />
          <FileButton label="Choose a folder…" isFolder onFiles={files.hand} />
        </Group>
        {files.state === "none" && (
          <p className={classes.hint}>
            CSV, CVAT for images 1.1, Label Studio, FiftyOne (samples.json with frames.json), the JSON beside
            a key-frame video, or any of these zipped. What the files would change is shown first.
          </p>
        )}
        {files.state === "sending" && (
          <div role="status">
            <p className={classes.hint}>
              {files.sent} of {formatNumberOf(files.count, "file")} sent
            </p>
            <Progress value={(files.sent / files.count) * 100} size={4} aria-label="Sending" />
          </div>
        )}
        {files.state === "looking" && <Loader size="sm" aria-label="Reading the files" />}
        {files.problem !== null && (
          <p className={classes.problem} role="alert">
            {files.problem}
          </p>
        )}
        {asks_base && (
          <Group gap={10}>
            <span className={classes.hint}>Where a file does not say it, the first frame is number</span>
            <SegmentedControl
              size="xs"
              aria-label="Number of the first frame"
              value={base === null ? "" : String(base)}
              onChange={(value) => setBase(value === "1" ? 1 : 0)}
              data={["0", "1"]}
            />
          </Group>
        )}
        {preview !== null && <PreviewList preview={preview} />}
        {changing.length > 0 && (
          <p className={classes.hint}>
            Frames are taken, and the actions that a person set in the file. Its evidence and geometry’s word
            are not.
          </p>
        )}
        {take.error !== null && (
          <p className={classes.problem} role="alert">
            {take.error.message}
          </p>
        )}
        <div className={classes.foot}>
          <p className={classes.hint} data-testid="import-summary" role="status">
            {preview !== null && summarise(preview, changing.length)}
          </p>
          <Group gap={8} wrap="nowrap">
            <Button variant="default" onClick={close}>
              {preview !== null && changing.length + videos === 0 ? "Close" : "Cancel"}
            </Button>
            <Button
              disabled={preview === null || changing.length + videos === 0}
              loading={take.isPending}
              onClick={() =>
                preview !== null &&
                files.wish !== null &&
                take.mutate({ ...files.wish, versions: versionsOf(preview) })
              }
            >
              Import
            </Button>
          </Group>
        </div>
      </Stack>
    </Modal>
  );
}

const versionsOf = ({ entries }: ImportPreview) =>
  Object.fromEntries(entries.map(({ clip_id, version }) => [clip_id, version]));

function summarise({ entries, faults, lost }: ImportPreview, changing: number): string {
  const parts = [
    changing > 0 ? `A new version of ${formatNumberOf(changing, "clip")}` : null,
    entries.length > changing ? `${formatNumberOf(entries.length - changing, "clip")} unchanged` : null,
    lost.length > 0 ? `${formatNumberOf(lost.length, "key-frame video")} as clips of their own` : null,
    faults.length > 0 ? `${faults.length} can't be taken` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "Nothing to import." : parts.join(" · ");
}

function describeOutcome(made: number, videos: number): string {
  const clips = made === 0 ? null : `a new version of ${formatNumberOf(made, "clip")}`;
  const lost = videos === 0 ? null : formatNumberOf(videos, "key-frame video");
  return `Imported ${[clips, lost].filter((part) => part !== null).join(" and ")}`;
}

/** A button that opens the browser's picker; it works by keyboard as by mouse. */
function FileButton({
  label,
  isFolder = false,
  onFiles,
  ...rest
}: {
  label: string;
  isFolder?: boolean;
  onFiles(files: readonly File[]): void;
} & Pick<ComponentProps<"button">, "autoFocus">) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => input.current?.click()} {...rest}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        tabIndex={-1}
        {...(isFolder && { webkitdirectory: "" })}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
