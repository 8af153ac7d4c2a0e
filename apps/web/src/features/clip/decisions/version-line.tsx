import { Button } from "@mantine/core";
import { countCorrections, listStanding, type SelectionVersion } from "@sightline/core/decisions";
import { formatNumberOf } from "@sightline/core/format";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { HumanMark } from "@sightline/ui/human-mark";
import { IconHistory } from "@tabler/icons-react";
import type { DecisionState } from "./use-decisions.ts";
import classes from "./version-line.module.css";

/** Which version of the selection is on screen, by whom, and which other selections of the clip have corrections. */
export function VersionLine({
  state,
  is_saved,
  is_open,
  onHistory,
  onVersion,
  onReturn,
  onSettings,
}: {
  state: DecisionState;
  is_saved: boolean;
  /** Whether the history is shown. */
  is_open: boolean;
  onHistory(): void;
  /** Null for the newest. */
  onVersion(version: number | null): void;
  onReturn(version: number): void;
  onSettings(settings: KeyFrameSettings): void;
}) {
  const { version, newest, missing, others, waiting } = state;
  const is_past = version !== null && newest !== null && version.version !== newest.version;
  return (
    <div className={classes.root} data-testid="version-line">
      {version !== null && (
        <>
          <span className={classes.words} data-testid="version">
            {version.version > 0 && <HumanMark verdict="confirmed" size={13} />}
            <span title={describeAll(version)}>{describeVersion(version)}</span>
            {waiting > 0 && <span role="status">{formatNumberOf(waiting, "decision")} not saved yet …</span>}
          </span>
          <Button
            size="compact-xs"
            variant={is_open ? "light" : "subtle"}
            color={is_open ? undefined : "gray"}
            leftSection={<IconHistory size={14} stroke={1.6} />}
            aria-pressed={is_open}
            onClick={onHistory}
          >
            History
          </Button>
          {missing !== null && (
            <p className={classes.past}>
              <span>
                The link asked for version {missing}; the newest of these key-frames, version{" "}
                {version.version}, is shown.
              </span>
              <Button size="compact-xs" variant="default" onClick={() => onVersion(null)}>
                Newest
              </Button>
            </p>
          )}
          {is_past && (
            <p className={classes.past}>
              <span>
                An earlier version; the newest is {newest.version}. Nothing is decided while you look back.
              </span>
              <Button
                size="compact-xs"
                color="var(--sl-human-text)"
                variant="light"
                onClick={() => onReturn(version.version)}
              >
                Return to it
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => onVersion(null)}>
                Newest
              </Button>
            </p>
          )}
        </>
      )}
      <Others others={others} is_saved={is_saved} onSettings={onSettings} />
    </div>
  );
}

/** "version 4 · 3 corrections by Ana", "version 5 · taken from walk.csv by Bo · 1 correction by Ana" */
function describeVersion(version: SelectionVersion): string {
  const { imported } = version;
  const { corrections, authors } = countCorrections(version);
  const said = corrections > 0 ? formatNumberOf(corrections, "correction") : "confirmed";
  return [
    `version ${version.version}`,
    imported === null ? null : `taken from ${imported.source} by ${imported.author}`,
    authors.length > 0 ? `${said} by ${authors.join(" and ")}` : null,
    imported === null && authors.length === 0 ? "as the extractor chose" : null,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** All that is in force, in one line: "3 corrections, 1 confirmation, 1 note". */
function describeAll(version: SelectionVersion): string {
  const { corrections, confirmations, notes } = countCorrections(version);
  return [
    corrections > 0 ? formatNumberOf(corrections, "correction") : null,
    confirmations > 0 ? formatNumberOf(confirmations, "confirmation") : null,
    notes > 0 ? formatNumberOf(notes, "note") : null,
  ]
    .filter((part) => part !== null)
    .join(", ");
}

/** Decisions belong to the settings that they were made under; where these aren't the ones on screen, it is said. */
function Others({
  others,
  is_saved,
  onSettings,
}: {
  others: DecisionState["others"];
  is_saved: boolean;
  onSettings(settings: KeyFrameSettings): void;
}) {
  const decided = others.filter(({ history }) => listStanding(history).length > 0);
  if (decided.length === 0) return null;
  return (
    <ul className={classes.others} data-testid="other-corrections">
      {decided.map(({ settings_hash, settings, history }) => (
        <li key={settings_hash}>
          <span>
            {is_saved ? "Other settings" : "Not this preview, but"}{" "}
            {settings === null ? "of an earlier extractor" : describeSettings(settings)}{" "}
            {is_saved ? "have" : "has"} {formatNumberOf(listStanding(history).length, "decision")}.
          </span>
          {settings !== null && (
            <Button size="compact-xs" variant="subtle" onClick={() => onSettings(settings)}>
              Show
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** "(sightline, 0.50, each 1 s)" */
function describeSettings({ preset, threshold, interval_secs }: KeyFrameSettings): string {
  return `(${preset}, ${threshold.toFixed(2)}, each ${interval_secs} s)`;
}
