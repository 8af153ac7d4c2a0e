import { Button, Progress } from "@mantine/core";
import type { Clip, SampleTable } from "@sightline/core/clips";
import type { ComparedFrame } from "@sightline/core/keyframes";
import { FrameStrip } from "@sightline/ui/frame-strip";
import { type HumanPoint, OverlapPlot } from "@sightline/ui/overlap-plot";
import { findNearest, Timeline, type TimeScale, type TimeWindow } from "@sightline/ui/timeline";
import { useCallback, useMemo, useState } from "react";
import { toPoint } from "../sampled.ts";
import { getThumb } from "../thumb.ts";
import { DifferenceLane } from "./difference-lane.tsx";
import { Letter } from "./letter.tsx";
import classes from "./tracks.module.css";
import type { Side } from "./use-side.ts";

const none: readonly HumanPoint[] = [];

/** Both selections over one time axis: A above, B below, and between them where they part. */
export function Tracks({
  clip,
  table,
  a,
  b,
  frames,
  frame,
  hovered,
  onHover,
  onOpen,
}: {
  clip: Clip;
  table: SampleTable;
  a: Side;
  b: Side;
  frames: readonly ComparedFrame[];
  frame: number;
  hovered: number | null;
  onHover(frame: number | null): void;
  onOpen(frame: number): void;
}) {
  const { time_secs } = table;
  const last = time_secs.at(-1) ?? 0;
  const duration_secs = Math.max(clip.duration_secs ?? 0, last + 1 / 30);
  const whole = useMemo(() => ({ from_secs: 0, to_secs: duration_secs }), [duration_secs]);
  const [window, setWindow] = useState<TimeWindow>(whole);
  const sampled_secs = useMemo(() => frames.map((one) => one.time_secs), [frames]);
  const findSampled = (secs: number) => frames[findNearest(sampled_secs, secs)]?.frame ?? null;
  const step = (by: number) => onOpen(Math.min(time_secs.length - 1, Math.max(0, frame + by)));
  return (
    <section className={classes.root} aria-label="Timeline">
      <Timeline
        frame_secs={time_secs}
        duration_secs={duration_secs}
        window={window}
        onWindow={setWindow}
        frame={frame}
        onScrub={(secs) => onOpen(findSampled(secs) ?? findNearest(time_secs, secs))}
        onStep={step}
        hovered_secs={hovered === null ? null : (time_secs[hovered] ?? null)}
        onHover={(secs) => onHover(secs === null ? null : findSampled(secs))}
      >
        {(scale) => (
          <div className={classes.tracks}>
            <Track clip={clip} side={a} scale={scale} frame={frame} hovered={hovered} onOpen={onOpen} />
            <DifferenceLane scale={scale} frames={frames} frame={frame} onPick={onOpen} />
            <Track clip={clip} side={b} scale={scale} frame={frame} hovered={hovered} onOpen={onOpen} />
          </div>
        )}
      </Timeline>
    </section>
  );
}

function Track({
  clip,
  side,
  scale,
  frame,
  hovered,
  onOpen,
}: {
  clip: Clip;
  side: Side;
  scale: TimeScale;
  frame: number;
  hovered: number | null;
  onOpen(frame: number): void;
}) {
  const { id, settings, state, tryThreshold } = side;
  const { selection } = state;
  const points = useMemo(() => selection?.decisions.map(toPoint) ?? [], [selection]);
  // The extractor's own choices are compared; what people decided of them stands on the clip's page.
  const film = useMemo(() => points.map((point) => ({ ...point, human: null })), [points]);
  const srcOf = useCallback((ordinal: number) => getThumb(clip.clip_id, ordinal), [clip.clip_id]);
  const here = points.some((point) => point.frame === frame) ? frame : null;
  const over = points.some((point) => point.frame === hovered) ? hovered : null;
  const aspect = (clip.display_width ?? 16) / (clip.display_height ?? 9);
  if (selection === null) return <NoSelection side={side} />;
  const plot = (
    <OverlapPlot
      key="plot"
      scale={scale}
      points={points}
      human={none}
      threshold={settings.threshold}
      saved={null}
      frame={here}
      hovered={over}
      both_ways={false}
      onThreshold={tryThreshold}
      onIntent={state.prepare}
      onPick={onOpen}
    />
  );
  const strip = (
    <FrameStrip
      key="strip"
      scale={scale}
      frames={film}
      aspect={aspect}
      frame={here}
      hovered={over}
      srcOf={srcOf}
      onPick={onOpen}
    />
  );
  return (
    <section className={classes.track} aria-label={`Key-frames of ${id.toUpperCase()}`} data-side={id}>
      <div className={classes.badge}>
        <Letter side={id} />
      </div>
      {/* The strips face each other, so that the eye compares film with film. */}
      {id === "a" ? [plot, strip] : [strip, plot]}
    </section>
  );
}

function NoSelection({ side }: { side: Side }) {
  const { id, settings, state } = side;
  const { work, problem, is_loading } = state;
  return (
    <section className={classes.missing} aria-label={`Key-frames of ${id.toUpperCase()}`} data-side={id}>
      <Letter side={id} />
      {work !== null ? (
        <>
          <span>
            {work.where === "here" ? "Looking at the clip here" : "The server looks at the clip"}
            {work.total !== null && ` · ${work.done} of ${work.total}`}
          </span>
          <Progress
            w={140}
            size={4}
            value={work.total ? (100 * work.done) / work.total : 100}
            animated={work.total === null}
            aria-label={`Extraction of ${id.toUpperCase()}`}
          />
          <Button size="compact-xs" variant="default" onClick={work.cancel}>
            Cancel
          </Button>
        </>
      ) : is_loading ? (
        <span>Reading the key-frames …</span>
      ) : (
        <>
          <span role={problem === null ? undefined : "alert"}>
            {problem ?? "The clip was never looked at under these settings."}
          </span>
          <Button size="compact-xs" onClick={() => state.extractThere(settings)}>
            Select on the server
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => state.extractHere(settings)}>
            Select here
          </Button>
        </>
      )}
    </section>
  );
}
