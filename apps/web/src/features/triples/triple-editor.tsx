import { Button, Select, Textarea } from "@mantine/core";
import { formatAgo } from "@sightline/core/format";
import type { KnownTriple, Triple, TripleEdit, TripleFields } from "@sightline/core/perception";
import { ACTIONS } from "@sightline/core/worlds";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { trpc } from "../../app/clients.ts";
import { editTriple, undoEdit } from "./commands.ts";
import classes from "./triple-editor.module.css";

/** Changes one triple; what it was stays in its history. */
export function TripleEditor({
  triple_set_id,
  triple,
  onClose,
}: {
  triple_set_id: string;
  triple: KnownTriple;
  onClose(): void;
}) {
  const { index, frame, motion, edits } = triple;
  const [fields, setFields] = useState<TripleFields>(triple);
  const [is_saving, setSaving] = useState(false);
  const history = useQuery({ ...trpc.triples.edits.queryOptions({ triple_set_id, index }), staleTime: 0 });
  const root = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Some browsers return a promise, which is no clean-up.
    void root.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const save = async () => {
    setSaving(true);
    const { action, change, relevant } = fields;
    const done = await editTriple(triple_set_id, index, { action, change, relevant });
    setSaving(false);
    if (done) onClose();
  };
  return (
    <li ref={root} className={classes.root} data-testid="triple-editor">
      <form
        aria-label={`Triple ${index} at frame ${frame}`}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !event.defaultPrevented) onClose();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void save();
          }
        }}
      >
        <p className={classes.head}>
          <b>{index}</b> frame {frame}
        </p>
        {index > 0 && (
          <Select
            size="xs"
            label="Action"
            description={motion === null ? undefined : `Geometry: ${motion.action}. ${motion.reason}`}
            data={[...ACTIONS, "unclear"]}
            value={fields.action}
            placeholder="no action"
            clearable
            searchable
            data-autofocus
            onChange={(action) => setFields({ ...fields, action: action as Triple["action"] })}
          />
        )}
        <Textarea
          size="xs"
          label={index === 0 ? "View" : "Change"}
          autosize
          minRows={2}
          maxRows={10}
          autoFocus
          value={fields.change}
          onChange={({ currentTarget }) => setFields({ ...fields, change: currentTarget.value })}
        />
        <Textarea
          size="xs"
          label="Relevant to the question"
          autosize
          minRows={1}
          maxRows={6}
          value={fields.relevant}
          onChange={({ currentTarget }) => setFields({ ...fields, relevant: currentTarget.value })}
        />
        <div className={classes.buttons}>
          <Button size="compact-xs" type="submit" loading={is_saving}>
            Save
          </Button>
          <Button size="compact-xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            className={classes.undo}
            disabled={edits === 0}
            onClick={() => void undoEdit(triple_set_id, index).then(onClose)}
          >
            Undo the last edit
          </Button>
        </div>
      </form>
      {history.data !== undefined && history.data.length > 0 && <History edits={history.data} />}
    </li>
  );
}

function History({ edits }: { edits: readonly TripleEdit[] }) {
  return (
    <details className={classes.history}>
      <summary>History ({edits.length})</summary>
      <ol>
        {edits.map(({ edit_id, author, made_secs, before, after, undoes }) => (
          <li key={edit_id}>
            <span>
              {author}, {formatAgo(made_secs, Date.now() / 1000)}
              {undoes === null ? "" : ", took an edit back"}
            </span>
            {(["action", "change", "relevant"] as const)
              .filter((name) => before[name] !== after[name])
              .map((name) => (
                <p key={name}>
                  {name}: <del>{before[name] || "nothing"}</del> → <ins>{after[name] || "nothing"}</ins>
                </p>
              ))}
          </li>
        ))}
      </ol>
    </details>
  );
}
