import { formatFrame } from "@sightline/core/format";
import type { KeyFrameDecision, KeyFrameSelection } from "@sightline/core/keyframes";
import classes from "./hover-card.module.css";
import { explain } from "./sampled.ts";
import { getThumb } from "./thumb.ts";
import { VerdictMark } from "./verdict-mark.tsx";

const WIDTH = 232;

/**
 * What the pointer is over on the timeline: the sampled frame's picture and why it was kept or dropped.
 *
 * @param x  Where the frame lies, in pixels from the left of the timeline that is `room` pixels wide.
 */
export function HoverCard({
  decision,
  selection,
  aspect,
  x,
  room,
}: {
  decision: KeyFrameDecision;
  selection: KeyFrameSelection;
  aspect: number;
  x: number;
  room: number;
}) {
  const { verdict, reason } = explain(decision, selection.settings);
  const left = Math.min(room - WIDTH - 8, Math.max(8, x - WIDTH / 2));
  return (
    <div className={classes.card} style={{ left, width: WIDTH }} role="status">
      <img
        src={getThumb(selection.clip_id, decision.frame)}
        alt=""
        style={{ aspectRatio: Math.max(1, aspect) }}
      />
      <div className={classes.text}>
        <div className={classes.name}>
          <VerdictMark kept={decision.kept} failed={decision.evidence?.failure != null} />
          {formatFrame(decision.frame, decision.time_secs)}
        </div>
        <div>
          <b>{verdict}</b>: {reason}
        </div>
      </div>
    </div>
  );
}
