import { Checkbox } from "@mantine/core";
import { formatAgo, formatBytes, formatClock, formatCodec, formatCount } from "@sightline/core/format";
import { Status } from "@sightline/ui/status";
import { Link } from "@tanstack/react-router";
import type { ClipActions, ClipView } from "./clip-actions.ts";
import { ClipMenu } from "./clip-menu.tsx";
import classes from "./clip-row.module.css";
import { formatSize, getStatus } from "./describe.ts";
import { NameField } from "./name-field.tsx";
import { Poster } from "./poster.tsx";

/** A clip in the list. */
export function ClipRow({
  clip,
  isSelected,
  isCursor,
  isRenaming,
  share,
  actions,
}: ClipView & { actions: ClipActions }) {
  const status = getStatus(clip);
  const word =
    status?.tone === "busy" && share !== null ? `Reading · ${Math.floor(share * 100)} %` : status?.label;
  return (
    <div className={classes.row} data-selected={isSelected || undefined} data-cursor={isCursor || undefined}>
      <Checkbox
        checked={isSelected}
        onChange={() => actions.toggle(clip)}
        tabIndex={-1}
        aria-label={`Select ${clip.name}`}
      />
      <div className={classes.picture}>
        <Poster clip={clip} width={96} />
      </div>
      <div className={classes.nameCell}>
        {isRenaming ? (
          <NameField name={clip.name} onDone={(name) => actions.endRename(clip, name)} />
        ) : (
          <Link
            to="/clips/$clipId"
            params={{ clipId: clip.clip_id }}
            className={classes.name}
            title={clip.name}
            tabIndex={-1}
            draggable={false}
            onClick={(event) => actions.click(clip, event)}
          >
            {clip.name}
          </Link>
        )}
        {clip.tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
      </div>
      <span className={classes.state}>
        {status !== null && (
          <Status tone={status.tone} label={word ?? status.label} title={clip.problem ?? word} />
        )}
      </span>
      <span className={classes.quiet}>{formatCodec(clip.codec)}</span>
      <span className={classes.quiet}>{formatSize(clip) ?? "–"}</span>
      <span className={classes.number}>{formatClock(clip.duration_secs)}</span>
      <span className={classes.number}>
        {clip.frame_count === null ? "–" : formatCount(clip.frame_count)}
      </span>
      <span className={classes.number}>{formatBytes(clip.bytes)}</span>
      <span className={classes.number}>{formatAgo(clip.added_secs, Date.now() / 1000)}</span>
      <ClipMenu clip={clip} actions={actions} className={classes.menu} />
    </div>
  );
}
