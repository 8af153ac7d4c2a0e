import { ActionIcon, Tooltip } from "@mantine/core";
import { useCallbackRef, useElementSize } from "@mantine/hooks";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { FrameStrip } from "@sightline/ui/frame-strip";
import { OverlapPlot } from "@sightline/ui/overlap-plot";
import {
  createTimeScale,
  findNearest,
  followMoment,
  GUTTER_PX,
  getShortestWindow,
  MARGIN_PX,
  Timeline,
  type TimeWindow,
  zoomWindow,
} from "@sightline/ui/timeline";
import {
  IconArrowsHorizontal,
  IconMinus,
  IconPlus,
  IconSwitchHorizontal,
  type TablerIcon,
} from "@tabler/icons-react";
import { memo, useCallback, useMemo, useState } from "react";
import { useKeys } from "../../app/keys.ts";
import type { ShownFrame } from "./decisions/shown-frames.ts";
import { HoverCard } from "./hover-card.tsx";
import { toPoint } from "./sampled.ts";
import { getThumb } from "./thumb.ts";
import classes from "./timeline-pane.module.css";

const ZOOM = 0.6;

/** Overlap plot and film strip over one time axis that also scrubs. */
export function TimelinePane({
  clip_id,
  time_secs,
  duration_secs,
  aspect,
  frame,
  selection,
  shown,
  threshold,
  saved_threshold,
  hovered,
  onHover,
  onOpen,
  onPass,
  onDrag,
  onThreshold,
  onPrepare,
}: {
  clip_id: string;
  time_secs: readonly number[];
  duration_secs: number;
  aspect: number;
  frame: number;
  selection: KeyFrameSelection | null;
  /** Its frames as people corrected them. */
  shown: readonly ShownFrame[];
  threshold: number;
  /** The threshold in force while another is tried. */
  saved_threshold: number | null;
  /** The sampled frame that is pointed at, here or elsewhere. */
  hovered: number | null;
  onHover(frame: number | null): void;
  onOpen(frame: number): void;
  onPass(frame: number): void;
  onDrag(frame: number): void;
  onThreshold(threshold: number): void;
  /** The hand comes near the threshold. */
  onPrepare(): void;
}) {
  const { ref, width } = useElementSize();
  const [asked, setWindow] = useState<TimeWindow | null>(null);
  const [both_ways, setBothWays] = useState(false);
  /** The pane's place in the window while the pointer is over it. */
  const [over, setOver] = useState<DOMRect | null>(null);
  const whole = useMemo(() => ({ from_secs: 0, to_secs: duration_secs }), [duration_secs]);
  const at_secs = time_secs[frame] ?? 0;
  const window = asked ?? whole;
  const shortest_secs = getShortestWindow(time_secs, duration_secs);

  const points = useMemo(() => selection?.decisions.map(toPoint) ?? [], [selection]);
  const human = useMemo(
    () =>
      shown.flatMap(({ frame: at, time_secs: secs, decision, verdict }) =>
        verdict === null ? [] : [{ frame: at, time_secs: secs, overlap: decision?.overlap ?? null, verdict }],
      ),
    [shown],
  );
  const frames = useMemo(() => shown.map((one) => ({ ...one, human: one.verdict })), [shown]);
  const shown_secs = useMemo(() => shown.map((one) => one.time_secs), [shown]);
  const here = shown.some((one) => one.frame === frame) ? frame : null;
  const srcOf = useCallback((ordinal: number) => getThumb(clip_id, ordinal), [clip_id]);
  const pointed = shown.find((one) => one.frame === hovered) ?? null;

  function zoom(factor: number): void {
    setWindow(zoomWindow(window, duration_secs, factor, at_secs, shortest_secs));
  }

  useKeys("Timeline", [
    { key: "+ =", label: "Look closer", run: () => zoom(ZOOM) },
    { key: "-", label: "See more", run: () => zoom(1 / ZOOM) },
    { key: "0", label: "See the whole clip", run: () => setWindow(null) },
    { key: "B", label: "Overlap both ways", run: () => setBothWays((both) => !both) },
  ]);

  // A frame that leaves the view takes the view along.
  const followed = followMoment(window, duration_secs, at_secs);
  const [followed_frame, setFollowedFrame] = useState(frame);
  if (frame !== followed_frame) {
    setFollowedFrame(frame);
    if (asked !== null && followed !== window) setWindow(followed);
  }

  const scale = createTimeScale(window, Math.max(0, width - GUTTER_PX - MARGIN_PX));
  return (
    <section
      className={classes.root}
      ref={ref}
      aria-label="Timeline"
      onPointerEnter={(event) => setOver(event.currentTarget.getBoundingClientRect())}
      onPointerLeave={() => setOver(null)}
    >
      <Timeline
        frame_secs={time_secs}
        duration_secs={duration_secs}
        window={window}
        onWindow={setWindow}
        frame={frame}
        onScrub={(secs, settled) => {
          const next = findNearest(time_secs, secs);
          if (settled) onOpen(next);
          else onDrag(next);
        }}
        onStep={(frames) => onPass(Math.min(time_secs.length - 1, Math.max(0, frame + frames)))}
        hovered_secs={pointed?.time_secs ?? null}
        onHover={(secs) => {
          const nearest = secs === null ? undefined : shown[findNearest(shown_secs, secs)];
          onHover(nearest?.frame ?? null);
        }}
      >
        {(tracks) => (
          <>
            <OverlapPlot
              scale={tracks}
              points={points}
              human={human}
              threshold={threshold}
              saved={saved_threshold}
              frame={here}
              hovered={hovered}
              both_ways={both_ways}
              onThreshold={onThreshold}
              onIntent={onPrepare}
              onPick={onOpen}
            />
            <FrameStrip
              scale={tracks}
              frames={frames}
              aspect={aspect}
              frame={here}
              hovered={hovered}
              srcOf={srcOf}
              onPick={onOpen}
            />
          </>
        )}
      </Timeline>
      <div className={classes.tools}>
        <Tool
          label={both_ways ? "Only the overlap that counts" : "Overlap both ways"}
          keys="B"
          icon={IconSwitchHorizontal}
          pressed={both_ways}
          onClick={() => setBothWays(!both_ways)}
        />
        <Tool label="See more" keys="−" icon={IconMinus} onClick={() => zoom(1 / ZOOM)} />
        <Tool label="Look closer" keys="+" icon={IconPlus} onClick={() => zoom(ZOOM)} />
        <Tool
          label="See the whole clip"
          keys="0"
          icon={IconArrowsHorizontal}
          onClick={() => setWindow(null)}
        />
      </div>
      {over !== null && pointed !== null && selection !== null && (
        <HoverCard
          shown={pointed}
          selection={selection}
          aspect={aspect}
          x={GUTTER_PX + scale.toX(pointed.time_secs)}
          over={over}
        />
      )}
    </section>
  );
}

type ToolProps = {
  label: string;
  keys: string;
  icon: TablerIcon;
  pressed?: boolean;
  onClick(): void;
};

function Tool({ onClick, ...rest }: ToolProps) {
  return <ToolButton {...rest} onClick={useCallbackRef(onClick)} />;
}

/** Not drawn anew with every frame that passes by. */
const ToolButton = memo(function ToolButton({ label, keys, icon: Icon, pressed, onClick }: ToolProps) {
  return (
    <Tooltip label={`${label} · ${keys}`} openDelay={500}>
      <ActionIcon
        size={22}
        variant={pressed === true ? "light" : "subtle"}
        color={pressed === true ? undefined : "gray"}
        aria-label={label}
        aria-pressed={pressed}
        onMouseDown={(event) => event.preventDefault()}
        onClick={onClick}
      >
        <Icon size={14} stroke={1.8} />
      </ActionIcon>
    </Tooltip>
  );
});
