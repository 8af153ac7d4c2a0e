import { Portal } from "@mantine/core";
import { formatFrame } from "@sightline/core/format";
import type { KeyFrameDecision, KeyFrameSelection } from "@sightline/core/keyframes";
import classes from "./hover-card.module.css";
import { explain } from "./sampled.ts";
import { getThumb } from "./thumb.ts";
import { VerdictMark } from "./verdict-mark.tsx";

const WIDTH = 232;

/**
 * What the pointer is over on the timeline: the sampled frame's picture and why it was kept or dropped. The list beside
 * says the same to those who do not point.
 *
 * @param x  Where the frame lies, in pixels from the left of the timeline.
 * @param over  The timeline's place in the window; the card stands on its upper edge.
 */
export function HoverCard({
  decision,
  selection,
  aspect,
  x,
  over,
}: {
  decision: KeyFrameDecision;
  selection: KeyFrameSelection;
  aspect: number;
  x: number;
  over: DOMRect;
}) {
  const { verdict, reason } = explain(decision, selection.settings);
  const left = over.left + Math.min(over.width - WIDTH - 8, Math.max(8, x - WIDTH / 2));
  const bottom = window.innerHeight - over.top + 8;
  return (
    <Portal>
      <div className={classes.card} style={{ left, bottom, width: WIDTH }} aria-hidden="true">
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
    </Portal>
  );
}
