import { ActionIcon, Tooltip } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatFrame, formatNumberOf } from "@sightline/core/format";
import { type ComparedFrame, describeDecision } from "@sightline/core/keyframes";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconChevronDown, IconChevronUp, IconEqual } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { getThumb } from "../thumb.ts";
import { VerdictMark } from "../verdict-mark.tsx";
import classes from "./differences.module.css";
import { Letter } from "./letter.tsx";
import type { Side } from "./use-side.ts";

/** The frame in question, large, and every frame on which the two part, with both reasons. */
export function Differences({
  clip,
  a,
  b,
  is_ready,
  different,
  current,
  frame,
  onOpen,
  onHover,
  onStep,
}: {
  clip: Clip;
  a: Side;
  b: Side;
  /** False while one side has no key-frames. */
  is_ready: boolean;
  different: readonly ComparedFrame[];
  /** The frame on screen where one of the two sampled it. */
  current: ComparedFrame | null;
  frame: number;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
  onStep(direction: 1 | -1): void;
}) {
  return (
    <section className={classes.root} aria-label="Differences">
      <figure className={classes.figure}>
        <img
          // A new picture for each frame: never the last one's under this one's name while it is on its way.
          key={frame}
          src={`/media/clips/${clip.clip_id}/frames/${frame}.jpg?width=640`}
          alt={`Frame ${frame}`}
          style={{ aspectRatio: (clip.display_width ?? 16) / (clip.display_height ?? 9) }}
        />
        {current !== null && (
          <figcaption data-testid="current-frame">
            <span className={classes.name}>{formatFrame(current.frame, current.time_secs)}</span>
            <Verdict side={a} compared={current} />
            <Verdict side={b} compared={current} />
          </figcaption>
        )}
      </figure>
      <header className={classes.head}>
        <span>{is_ready ? formatNumberOf(different.length, "difference") : "No comparison yet"}</span>
        <Tooltip label="Previous difference · P">
          <ActionIcon size={24} aria-label="Previous difference" onClick={() => onStep(-1)}>
            <IconChevronUp size={15} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Next difference · N">
          <ActionIcon size={24} aria-label="Next difference" onClick={() => onStep(1)}>
            <IconChevronDown size={15} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </header>
      {is_ready &&
        (different.length === 0 ? (
          <EmptyState icon={<IconEqual size={26} stroke={1.5} />} title="Both keep the same frames">
            Drag a threshold, or choose other settings, to see where they part.
          </EmptyState>
        ) : (
          <List
            clip={clip}
            a={a}
            b={b}
            different={different}
            frame={frame}
            onOpen={onOpen}
            onHover={onHover}
          />
        ))}
    </section>
  );
}

function Verdict({ side, compared }: { side: Side; compared: ComparedFrame }) {
  const decision = compared[side.id];
  const { selection } = side.state;
  if (decision === null || selection === null) {
    return (
      <span className={classes.verdict}>
        <Letter side={side.id} />
        <span className={classes.reason}>did not sample this frame</span>
      </span>
    );
  }
  const sentence = describeDecision(decision, selection.settings);
  return (
    <span className={classes.verdict}>
      <Letter side={side.id} />
      <VerdictMark kept={decision.kept} failed={decision.evidence?.failure != null} verdict={null} />
      <span className={classes.reason}>
        <b>{decision.kept ? "Kept" : "Dropped"}</b>
        {sentence.slice(sentence.indexOf(":"))}
      </span>
    </span>
  );
}

function List({
  clip,
  a,
  b,
  different,
  frame,
  onOpen,
  onHover,
}: {
  clip: Clip;
  a: Side;
  b: Side;
  different: readonly ComparedFrame[];
  frame: number;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: different.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 76,
    overscan: 6,
  });
  const at = different.findIndex((one) => one.frame === frame);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a frame that was gone to scrolls.
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [at]);
  return (
    <div ref={scroll} className={classes.scroll}>
      <ul className={classes.list} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const one = different[index];
          if (one === undefined) return null;
          return (
            <li
              key={one.frame}
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                className={classes.row}
                aria-current={one.frame === frame || undefined}
                data-testid="difference"
                onClick={() => onOpen(one.frame)}
                onPointerEnter={() => onHover(one.frame)}
                onPointerLeave={() => onHover(null)}
              >
                <img src={getThumb(clip.clip_id, one.frame)} alt="" />
                <span className={classes.text}>
                  <span className={classes.name}>{formatFrame(one.frame, one.time_secs)}</span>
                  <Verdict side={a} compared={one} />
                  <Verdict side={b} compared={one} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
