import { memo, useMemo } from "react";
import { HumanMark } from "../human-mark/index.tsx";
import { GUTTER_PX, type TimeScale } from "../timeline/index.tsx";
import classes from "./frame-strip.module.css";
import { layStrip, type StripFrame, type StripSlot } from "./strip-layout.ts";

export type { StripFrame } from "./strip-layout.ts";

const RAISED_PX = 58;
const LOW_PX = 30;

/**
 * The sampled frames as a strip of film along the time axis: those that were dropped lie in the low row, key-frames are
 * lifted out of it.
 *
 * @param aspect  Display width ÷ height of the clip.
 * @param srcOf  Address of a frame's small picture.
 * @param onPick  Takes the ordinal of a frame that was clicked.
 */
export const FrameStrip = memo(function FrameStrip({
  scale,
  frames,
  aspect,
  frame,
  hovered,
  srcOf,
  onPick,
}: {
  scale: TimeScale;
  frames: readonly StripFrame[];
  aspect: number;
  /** The sampled frame on screen, and the one that is pointed at; null where there is none. */
  frame: number | null;
  hovered: number | null;
  srcOf(frame: number): string;
  onPick(frame: number): void;
}) {
  const kept = useMemo(() => frames.filter((entry) => entry.kept), [frames]);
  const entryOf = useMemo(() => new Map(frames.map((entry) => [entry.frame, entry])), [frames]);
  const raised = layStrip(kept, scale, { full_px: RAISED_PX * aspect, least_px: 16, gap_px: 3 });
  const low = layStrip(frames, scale, { full_px: LOW_PX * aspect, least_px: 12, gap_px: 1 });

  function renderSlot(slot: StripSlot, isRaised: boolean) {
    const { kept: is_kept = false, human = null } = entryOf.get(slot.frame) ?? {};
    const lifted = !isRaised && is_kept;
    return (
      <button
        key={slot.frame}
        type="button"
        tabIndex={-1}
        className={isRaised ? classes.raised : classes.low}
        data-lifted={lifted}
        data-human={human ?? undefined}
        data-here={slot.frame === frame}
        data-hovered={slot.frame === hovered}
        data-frame={slot.frame}
        data-testid={isRaised ? "key-frame" : "sampled-frame"}
        aria-label={`${is_kept ? "Key-frame" : "Dropped frame"} ${slot.frame}${human === null ? "" : `, ${human} by a person`}`}
        style={{ transform: `translateX(${slot.x}px)`, width: slot.width }}
        // The focus stays with the page, whose keys go on working.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => onPick(slot.frame)}
      >
        {!lifted && (
          <img src={srcOf(slot.frame)} alt="" draggable={false} decoding="async" fetchPriority="low" />
        )}
        {human !== null && isRaised === is_kept && slot.width > 14 && (
          <span className={classes.human}>
            <HumanMark verdict={human} size={isRaised ? 15 : 13} />
          </span>
        )}
        {isRaised && slot.width > 34 && <span className={classes.number}>{slot.frame}</span>}
      </button>
    );
  }

  return (
    <div className={classes.root} style={{ marginLeft: GUTTER_PX }}>
      <div className={classes.row} style={{ height: RAISED_PX }} data-testid="key-frames">
        {raised.map((slot) => renderSlot(slot, true))}
      </div>
      <svg className={classes.stems} width={scale.width} height={9} aria-hidden="true">
        {kept.map((entry) => (
          <path
            key={entry.frame}
            data-human={entry.human ?? undefined}
            d={`M${(scale.toX(entry.time_secs) + 0.5).toFixed(1)} 0v9`}
          />
        ))}
      </svg>
      <div className={classes.row} style={{ height: LOW_PX }} data-testid="sampled-frames">
        {low.map((slot) => renderSlot(slot, false))}
      </div>
    </div>
  );
});
