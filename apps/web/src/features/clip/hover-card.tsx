import { Portal } from "@mantine/core";
import { formatFrame } from "@sightline/core/format";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { ShownFrame } from "./decisions/shown-frames.ts";
import classes from "./hover-card.module.css";
import { Reasons } from "./reasons.tsx";
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
  shown,
  selection,
  aspect,
  x,
  over,
}: {
  shown: ShownFrame;
  selection: KeyFrameSelection;
  aspect: number;
  x: number;
  over: DOMRect;
}) {
  const left = over.left + Math.min(over.width - WIDTH - 8, Math.max(8, x - WIDTH / 2));
  const bottom = window.innerHeight - over.top + 8;
  return (
    <Portal>
      <div className={classes.card} style={{ left, bottom, width: WIDTH }} aria-hidden="true">
        <img
          src={getThumb(selection.clip_id, shown.frame)}
          alt=""
          style={{ aspectRatio: Math.max(1, aspect) }}
        />
        <div className={classes.text}>
          <div className={classes.name}>
            <VerdictMark
              kept={shown.kept}
              failed={shown.decision?.evidence?.failure != null}
              verdict={shown.verdict}
            />
            {formatFrame(shown.frame, shown.time_secs)}
          </div>
          <div>
            <Reasons shown={shown} settings={selection.settings} />
          </div>
        </div>
      </div>
    </Portal>
  );
}
