import { Button, CloseButton, Loader } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { Link } from "@tanstack/react-router";
import classes from "./imports.module.css";
import { forgetImport, type QuestionImport, useImports } from "./use-import.ts";

/**
 * What became of the files that were just imported; nothing when there are none.
 *
 * @param set_id  The set that is on screen, to which no link leads; absent where none is.
 */
export function Imports({ set_id }: { set_id?: string }) {
  const { imports } = useImports();
  if (imports.length === 0) return null;
  return (
    <ul className={classes.imports} aria-label="Imported files" aria-live="polite">
      {imports.map((entry) => (
        <li key={entry.import_id} className={classes.entry} data-state={entry.state}>
          <span className={classes.name}>{entry.name}</span>
          <span className={classes.outcome}>
            <Outcome entry={entry} is_open={entry.state === "done" && entry.set.set_id === set_id} />
          </span>
          {entry.state === "reading" ? (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              onClick={() => forgetImport(entry.import_id)}
            >
              Cancel
            </Button>
          ) : (
            <CloseButton
              size="sm"
              aria-label={`Clear ${entry.name}`}
              onClick={() => forgetImport(entry.import_id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ entry, is_open }: { entry: QuestionImport; is_open: boolean }) {
  if (entry.state === "reading")
    return (
      <>
        <Loader size={12} /> Reading …
      </>
    );
  if (entry.state === "failed") return entry.problem;
  const { set, note } = entry;
  return (
    <>
      {note ??
        `${formatNumberOf(set.rows ?? set.questions, "row")} read as ${set.format}: ${formatNumberOf(
          set.questions,
          "question",
        )}, ${set.set_aside === 0 ? "none" : set.set_aside} set aside, ${formatNumberOf(set.remarks, "remark")}.`}{" "}
      {!is_open && (
        <Link to="/questions/$setId" params={{ setId: set.set_id }}>
          Open
        </Link>
      )}
    </>
  );
}
