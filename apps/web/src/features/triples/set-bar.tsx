import { ActionIcon, Button, Menu, Select, Tooltip } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatAgo, formatNumberOf } from "@sightline/core/format";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { TripleSet, TripleSetSummary } from "@sightline/core/perception";
import {
  IconArrowBackUp,
  IconDotsVertical,
  IconDownload,
  IconFileText,
  IconPlus,
  IconRestore,
  IconTrash,
  IconUpload,
} from "@tabler/icons-react";
import { useRef } from "react";
import { importTriples, restoreSet, saveSet, trashSet, undoEdit } from "./commands.ts";
import classes from "./set-bar.module.css";

/** Which set is shown, with which it is compared, and what can be done with it. */
export function SetBar({
  clip,
  sets,
  trashed,
  shown,
  set,
  against,
  selection,
  onShow,
  onDialog,
}: {
  clip: Clip;
  sets: readonly TripleSetSummary[];
  /** In the trash, the last one first. */
  trashed: readonly TripleSetSummary[];
  shown: TripleSetSummary;
  /** With its triples; null until they are here. */
  set: TripleSet | null;
  against: TripleSetSummary | null;
  /** The key-frames on screen, where they are stored. */
  selection: KeyFrameSelection | null;
  onShow(change: { triples?: string; against?: string | undefined }): void;
  onDialog(dialog: "make" | "text"): void;
}) {
  const upload = useRef<HTMLInputElement>(null);
  const icon = { size: 15, stroke: 1.6 };
  const choices = sets.map((one) => ({ value: one.triple_set_id, label: describeSet(one) }));
  const { triple_set_id, label, edits, question, cost } = shown;
  return (
    <header className={classes.root}>
      <div className={classes.line}>
        <Select
          size="xs"
          className={classes.select}
          aria-label="Set of triples"
          value={triple_set_id}
          onChange={(id) =>
            id !== null &&
            onShow({
              triples: id,
              against: id === against?.triple_set_id ? undefined : against?.triple_set_id,
            })
          }
          data={choices}
          allowDeselect={false}
          comboboxProps={{ width: 320, position: "bottom-start" }}
        />
        <Select
          size="xs"
          className={classes.select}
          aria-label="Compare with"
          placeholder="Compare with…"
          value={against?.triple_set_id ?? null}
          onChange={(id) => onShow({ triples: triple_set_id, against: id ?? undefined })}
          data={choices.filter(({ value }) => value !== triple_set_id)}
          disabled={sets.length < 2}
          clearable
          comboboxProps={{ width: 320, position: "bottom-end" }}
        />
        <Menu position="bottom-end" width={230}>
          <Menu.Target>
            <ActionIcon size={28} aria-label="What to do with these triples">
              <IconDotsVertical size={15} stroke={1.8} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconArrowBackUp {...icon} />}
              disabled={edits === 0}
              onClick={() => void undoEdit(triple_set_id, null)}
            >
              Take the last edit back
            </Menu.Item>
            <Menu.Item
              leftSection={<IconUpload {...icon} />}
              disabled={selection === null}
              onClick={() => upload.current?.click()}
            >
              Import a file…
            </Menu.Item>
            <Menu.Item
              leftSection={<IconDownload {...icon} />}
              disabled={set === null}
              onClick={() => set && saveSet(set, clip.name)}
            >
              Save as a file
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              leftSection={<IconTrash {...icon} />}
              onClick={() => void trashSet(triple_set_id, label)}
            >
              Move to the trash
            </Menu.Item>
            {trashed.slice(0, 5).map((one) => (
              <Menu.Item
                key={one.triple_set_id}
                leftSection={<IconRestore {...icon} />}
                onClick={() => void restoreSet(one.triple_set_id)}
              >
                Bring back {describeSet(one)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <input
          ref={upload}
          type="file"
          hidden
          aria-label="File of triples"
          accept=".json,.jsonl,application/json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            currentTarget.value = "";
            if (file === undefined || selection === null) return;
            void importTriples(clip.clip_id, selection.settings_hash, file).then(
              (id) => id !== null && onShow({ triples: id, against: undefined }),
            );
          }}
        />
      </div>
      <div className={classes.line}>
        <Tooltip label={question} disabled={question === ""} multiline maw={420} openDelay={300}>
          <p className={classes.facts}>
            {[
              describeCost(cost),
              edits > 0 ? formatNumberOf(edits, "edit") : null,
              describeQuestion(question),
            ]
              .filter((part) => part !== null)
              .join(" · ")}
          </p>
        </Tooltip>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconFileText size={13} stroke={1.6} />}
          disabled={set === null || set.triples.length === 0}
          onClick={() => onDialog("text")}
        >
          Text
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={13} stroke={1.8} />}
          onClick={() => onDialog("make")}
        >
          Make
        </Button>
      </div>
    </header>
  );
}

function describeSet({ label, made_secs, state }: TripleSetSummary): string {
  const when = formatAgo(made_secs, Date.now() / 1000);
  return `${label} · ${when}${state === "done" ? "" : ` · ${state}`}`;
}

function describeCost({ calls, cached, prompt_tokens, completion_tokens, secs }: TripleSetSummary["cost"]) {
  const parts = [
    calls > 0 ? formatNumberOf(calls, "call") : null,
    cached > 0 ? `${cached} known from before` : null,
    prompt_tokens + completion_tokens > 0
      ? `${(prompt_tokens + completion_tokens).toLocaleString("en")} tokens`
      : null,
    secs > 0 ? `${secs.toFixed(1)} s` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

function describeQuestion(question: string): string {
  return question === "" ? "no question" : `for “${question.split("\n")[0]}”`;
}
