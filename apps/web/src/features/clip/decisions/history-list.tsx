import { Button } from "@mantine/core";
import { type Decision, describeDecided, listUndone } from "@sightline/core/decisions";
import { formatAgo } from "@sightline/core/format";
import { useMemo } from "react";
import classes from "./history-list.module.css";

/** Every decision of a selection, the last one first. Each made a version, which can be looked at and returned to. */
export function HistoryList({
  history,
  shown,
  onVersion,
  onReturn,
}: {
  history: readonly Decision[];
  /** The version on screen. */
  shown: number;
  /** Null for the newest. */
  onVersion(version: number | null): void;
  onReturn(version: number): void;
}) {
  const undone = useMemo(() => listUndone(history), [history]);
  const byId = useMemo(() => new Map(history.map((one) => [one.decision_id, one])), [history]);
  const newest = history.length;
  const rows = [...history].reverse();
  return (
    <div className={classes.scroll}>
      <ol className={classes.list} aria-label="History of this selection, newest first" reversed>
        {rows.map((decision) => {
          const undo = undone.get(decision.decision_id);
          return (
            <Row
              key={decision.decision_id}
              version={decision.version}
              newest={newest}
              is_shown={shown === decision.version}
              is_undone={undo !== undefined}
              what={`${decision.author} ${describe(decision, byId)}`}
              who={`${formatAgo(decision.made_secs, Date.now() / 1000)}${undo ? ` · taken back in version ${undo.version}` : ""}`}
              title={new Date(decision.made_secs * 1000).toLocaleString()}
              onVersion={onVersion}
              onReturn={onReturn}
            />
          );
        })}
        <Row
          version={0}
          newest={newest}
          is_shown={shown === 0}
          is_undone={false}
          what="The extractor’s own selection"
          who="nobody’s decision"
          title=""
          onVersion={onVersion}
          onReturn={onReturn}
        />
      </ol>
    </div>
  );
}

/** Names what an undo or a redo speaks of. */
function describe(decision: Decision, byId: ReadonlyMap<string, Decision>): string {
  if (decision.kind === "undo") {
    const target = byId.get(decision.undoes);
    return target ? `took back: ${describeDecided(target)}` : describeDecided(decision);
  }
  if (decision.kind === "redo") {
    const undo = byId.get(decision.undoes);
    const target = undo?.kind === "undo" ? byId.get(undo.undoes) : undefined;
    return target ? `brought back: ${describeDecided(target)}` : describeDecided(decision);
  }
  return describeDecided(decision);
}

function Row({
  version,
  newest,
  is_shown,
  is_undone,
  what,
  who,
  title,
  onVersion,
  onReturn,
}: {
  version: number;
  newest: number;
  is_shown: boolean;
  is_undone: boolean;
  what: string;
  who: string;
  title: string;
  onVersion(version: number | null): void;
  onReturn(version: number): void;
}) {
  return (
    <li className={classes.row} data-shown={is_shown} data-undone={is_undone} data-testid="history-entry">
      <button
        type="button"
        className={classes.open}
        aria-current={is_shown ? "true" : undefined}
        onClick={() => onVersion(version === newest ? null : version)}
      >
        <span className={classes.number}>{version}</span>
        <span>
          <span className={classes.what}>{what}</span>
          <span className={classes.who} title={title}>
            {who}
          </span>
        </span>
      </button>
      {version !== newest && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Return to version ${version}`}
          onClick={() => onReturn(version)}
        >
          Return
        </Button>
      )}
    </li>
  );
}
