import { Button, Progress, Select } from "@mantine/core";
import type { TripleSetSummary } from "@sightline/core/perception";
import { useMutation } from "@tanstack/react-query";
import { client, trpc } from "../../app/clients.ts";
import classes from "./ask-pane.module.css";

/** Which triples are told; where there are none, makes them at once from the pictures. */
export function TriplesPicker({
  clip_id,
  sets,
  set_id,
  settings_hash,
  onPick,
}: {
  clip_id: string;
  sets: readonly TripleSetSummary[];
  set_id: string | null;
  /** Of the key-frames that the server holds; null while there are none. */
  settings_hash: string | null;
  onPick(triple_set_id: string): void;
}) {
  const start = useMutation(
    trpc.triples.start.mutationOptions({ onSuccess: ({ triple_set_id }) => onPick(triple_set_id) }),
  );
  const set = sets.find(({ triple_set_id }) => triple_set_id === set_id) ?? null;
  if (sets.length === 0)
    return (
      <div className={classes.row}>
        <p className={classes.hint}>No triples of this clip yet.</p>
        <Button
          size="xs"
          variant="light"
          disabled={settings_hash === null}
          title={settings_hash === null ? "The key-frames on screen are not saved." : undefined}
          loading={start.isPending}
          onClick={() => {
            if (settings_hash === null) return;
            start.mutate({
              clip_id,
              settings_hash,
              perceiver: { kind: "embedded" },
              question_id: null,
              question: "",
            });
          }}
        >
          Make them from the pictures
        </Button>
        {start.isError && <p className={classes.problem}>{start.error.message}</p>}
      </div>
    );
  return (
    <>
      <Select
        size="xs"
        aria-label="Triples"
        placeholder="Pick the triples to tell"
        data={sets.map(({ triple_set_id, label, state, described, key_frames, edits, made_secs }) => ({
          value: triple_set_id,
          label: [
            `Triples: ${label}`,
            state === "done" ? `${described} key-frames` : `${described} of ${key_frames} key-frames`,
            ...(edits > 0 ? [`${edits} edited`] : []),
            new Date(made_secs * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
          ].join(" · "),
        }))}
        value={set_id}
        onChange={(id) => id !== null && onPick(id)}
        allowDeselect={false}
        comboboxProps={{ width: "target" }}
      />
      {set?.state === "working" && (
        <div className={classes.row}>
          <Progress
            className={classes.grow}
            size="sm"
            value={(100 * set.described) / Math.max(1, set.key_frames)}
            animated
            aria-label="Making triples"
          />
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void client.triples.cancel.mutate({ triple_set_id: set.triple_set_id })}
          >
            Stop
          </Button>
        </div>
      )}
      {set?.problem != null && <p className={classes.problem}>{set.problem}</p>}
    </>
  );
}
