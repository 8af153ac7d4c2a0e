import { changesSomething, type ImportEntry, type ImportPreview } from "@sightline/core/exchange";
import { formatNumberOf } from "@sightline/core/format";
import classes from "./exchange.module.css";
import { nameFormat } from "./formats.ts";

/** Rows and frames that are written out; the rest is counted. */
const SHOWN_ROWS = 50;
const SHOWN_FRAMES = 12;

/** What files would change: clip by clip, then what can't be taken. */
export function PreviewList({ preview }: { preview: ImportPreview }) {
  const { entries, faults, lost, remarks } = preview;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes.preview} aria-label="What would change" tabIndex={0}>
      {entries.slice(0, SHOWN_ROWS).map((entry) => (
        <Entry key={entry.clip_id} entry={entry} />
      ))}
      {entries.length > SHOWN_ROWS && (
        <p className={classes.hint}>and {formatNumberOf(entries.length - SHOWN_ROWS, "clip")} more</p>
      )}
      {lost.map(({ source, pictures }) => (
        <div key={source} className={classes.row} data-testid="lost">
          <h3>{source}</h3>
          <p>
            {formatNumberOf(pictures, "picture")}. Its original indices are lost: nothing in it says which
            frames of the source these were. It comes in as a clip of its own, every picture a key-frame.
          </p>
        </div>
      ))}
      {faults.slice(0, SHOWN_ROWS).map(({ source, clip_name, problem }) => (
        <div key={`${source} ${clip_name}`} className={classes.row} data-fault data-testid="fault">
          <h3>{clip_name === null ? source : `${clip_name} in ${source}`}</h3>
          <p role="alert">{problem}</p>
        </div>
      ))}
      {faults.length > SHOWN_ROWS && <p className={classes.hint}>and {faults.length - SHOWN_ROWS} more</p>}
      {remarks.map((remark) => (
        <p key={remark} className={classes.hint}>
          {remark}
        </p>
      ))}
    </section>
  );
}

const BASES = {
  file: (base: 0 | 1) => `frames count from ${base}`,
  times: (base: 0 | 1) => `frames count from ${base}, as their times show`,
  person: (base: 0 | 1) => `frames count from ${base}, as you said`,
};

function Entry({ entry }: { entry: ImportEntry }) {
  const { clip_name, source, format, base, base_from, version, file_version, added, dropped, same, actions } =
    entry;
  const changes = changesSomething(entry);
  return (
    <div className={classes.row} data-testid="entry">
      <h3>{clip_name}</h3>
      <p className={classes.quiet}>
        {[
          source,
          nameFormat(format),
          BASES[base_from](base),
          file_version === null ? null : `holds version ${file_version}`,
          changes ? `version ${version} becomes ${version + 1}` : `version ${version} stays`,
        ]
          .filter((part) => part !== null)
          .join(" · ")}
      </p>
      <p className={classes.counts}>
        <span data-change={added.length > 0 ? "added" : undefined}>+ {added.length} added</span>
        <span data-change={dropped.length > 0 ? "dropped" : undefined}>− {dropped.length} dropped</span>
        <span>= {same.length} the same</span>
        {actions.length > 0 && <span>{formatNumberOf(actions.length, "action")} set</span>}
      </p>
      {changes && (
        <p className={classes.quiet}>
          {[list("added", added), list("dropped", dropped), list("action set at", actions)]
            .filter((part) => part !== null)
            .join(" · ")}
        </p>
      )}
    </div>
  );
}

/** "added frames 12, 40, 57 …", 0-based ordinals as everywhere on screen. */
function list(what: string, frames: readonly number[]): string | null {
  if (frames.length === 0) return null;
  const shown = frames.slice(0, SHOWN_FRAMES).join(", ");
  return `${what} ${frames.length === 1 ? "frame" : "frames"} ${shown}${frames.length > SHOWN_FRAMES ? " …" : ""}`;
}
