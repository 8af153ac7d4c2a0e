import { Checkbox } from "@mantine/core";
import { formatClock } from "@sightline/core/format";
import { StatusMark } from "@sightline/ui/status";
import { Link } from "@tanstack/react-router";
import type { ClipActions, ClipView } from "./clip-actions.ts";
import classes from "./clip-card.module.css";
import { ClipMenu } from "./clip-menu.tsx";
import { describeClip, getStatus } from "./describe.ts";
import { NameField } from "./name-field.tsx";
import { Poster } from "./poster.tsx";

/** A clip in the grid: its first frame, its name, its facts, and how it stands. */
export function ClipCard({
  clip,
  isSelected,
  isCursor,
  isRenaming,
  share,
  actions,
}: ClipView & { actions: ClipActions }) {
  const status = getStatus(clip);
  const open = {
    to: "/clips/$clipId",
    params: { clipId: clip.clip_id },
    tabIndex: -1,
    draggable: false,
    onClick: (event: React.MouseEvent) => actions.click(clip, event),
  } as const;
  return (
    <div className={classes.card} data-selected={isSelected || undefined} data-cursor={isCursor || undefined}>
      <div className={classes.picture}>
        <Link {...open} className={classes.open} aria-hidden>
          <Poster clip={clip} width={480} />
        </Link>
        {clip.duration_secs !== null && (
          <span className={classes.duration}>{formatClock(clip.duration_secs)}</span>
        )}
        {clip.tags.length > 0 && (
          <span className={classes.tags}>
            {clip.tags.slice(0, 3).map((tag) => (
              <span key={tag}>{tag}</span>
            ))}
            {clip.tags.length > 3 && <span>+{clip.tags.length - 3}</span>}
          </span>
        )}
        {clip.state === "reading" && (
          <span
            className={classes.progress}
            role="progressbar"
            aria-label={`Reading ${clip.name}`}
            aria-valuenow={share === null ? undefined : Math.round(share * 100)}
          >
            <span style={{ width: `${(share ?? 0) * 100}%` }} />
          </span>
        )}
        <Checkbox
          className={classes.check}
          checked={isSelected}
          onChange={() => actions.toggle(clip)}
          tabIndex={-1}
          aria-label={`Select ${clip.name}`}
        />
      </div>
      <div className={classes.text}>
        <div className={classes.head}>
          {isRenaming ? (
            <NameField name={clip.name} onDone={(name) => actions.endRename(clip, name)} />
          ) : (
            <Link {...open} className={classes.name} title={clip.name}>
              {clip.name}
            </Link>
          )}
          <ClipMenu clip={clip} actions={actions} className={classes.menu} />
        </div>
        {status === null || status.tone === "busy" ? (
          <div className={classes.facts}>
            {status === null
              ? describeClip(clip)
              : share === null
                ? "Reading"
                : `Reading · ${Math.floor(share * 100)} %`}
          </div>
        ) : (
          <div className={classes.problem} title={clip.problem ?? undefined}>
            <StatusMark tone={status.tone} />
            <span>{clip.problem ?? status.label}</span>
          </div>
        )}
      </div>
    </div>
  );
}
