import type { TraceFrame } from "@sightline/core/ask";
import { formatFrame } from "@sightline/core/format";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import classes from "./picture-strip.module.css";
import { RenderButton } from "./render-button.tsx";
import type { PicturedLine, Pictures } from "./use-pictures.ts";
import { WorldPicture } from "./world-picture.tsx";

/**
 * The pictures of what a question is about, those that are cited marked. What is pointed at lights up here, in the text
 * and in its triple below; a click opens the clip at that frame, or, where there is none, the picture large.
 */
export function PictureStrip({
  pictures,
  line,
  cited,
  pointed,
  onPoint,
}: {
  pictures: Pictures;
  /** The completion for which the world can be rendered here; null where something else offers it. */
  line: PicturedLine | null;
  /** How often each picture is cited, by its number. */
  cited: ReadonlyMap<number, number>;
  pointed: number | null;
  onPoint(index: number | null): void;
}) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<number | null>(null);
  const { frames, clip, world } = pictures;
  if (frames.length === 0) return <p className={classes.none}>{pictures.problem}</p>;
  const pick = (index: number) => {
    const frame = frames[index]?.frame;
    if (clip !== null && frame !== null && frame !== undefined)
      void navigate({ to: "/clips/$clipId", params: { clipId: clip.clip_id }, search: { frame } });
    else setOpened(opened === index ? null : index);
  };
  const told = frames[pointed ?? opened ?? -1] ?? null;
  return (
    <section className={classes.root} aria-label={clip === null ? "Views of the world" : "Key-frames"}>
      <ol className={classes.strip}>
        {frames.map((one) => {
          const times = cited.get(one.index) ?? 0;
          return (
            <li key={one.index}>
              <button
                type="button"
                className={classes.picture}
                data-testid="trace-picture"
                data-number={one.index}
                data-cited={times > 0 || undefined}
                data-pointed={one.index === pointed || undefined}
                aria-label={`${name(one)}${times > 0 ? `, cited ${times === 1 ? "once" : `${times} times`}` : ""}`}
                aria-pressed={clip === null ? opened === one.index : undefined}
                title={clip === null ? "Show it large" : "Open the clip at this frame"}
                onClick={() => pick(one.index)}
                onMouseEnter={() => onPoint(one.index)}
                onMouseLeave={() => onPoint(null)}
                onFocus={() => onPoint(one.index)}
                onBlur={() => onPoint(null)}
              >
                {clip !== null && one.frame !== null ? (
                  <img
                    src={`/media/clips/${clip.clip_id}/frames/${one.frame}.jpg?width=320`}
                    alt=""
                    loading="lazy"
                  />
                ) : (
                  world !== null && <WorldPicture world={world} pose={one.index} width={104} height={78} />
                )}
              </button>
            </li>
          );
        })}
      </ol>
      <div className={classes.told} aria-live="polite" data-testid="told-picture">
        {told === null ? (
          <>
            <span className={classes.quiet}>
              {pictures.source} Point at a picture, or at a number in the text, and both light up.
            </span>
            {line !== null && clip === null && world !== null && <RenderButton line={line} />}
          </>
        ) : (
          <>
            <b>{name(told)}</b>
            {told.frame === null && <span className={classes.quiet}>{told.time_secs.toFixed(1)} s</span>}
            {told.triple === null ? (
              <span className={classes.quiet}>nobody described it: make triples on the clip's page</span>
            ) : (
              <span>
                {told.triple.action !== null && <b className={classes.action}>{told.triple.action}</b>}{" "}
                {told.triple.change} {told.triple.relevant}
              </span>
            )}
          </>
        )}
      </div>
      {opened !== null && world !== null && clip === null && (
        <WorldPicture world={world} pose={opened} width={384} height={288} className={classes.large} />
      )}
    </section>
  );
}

function name({ index, frame, time_secs }: TraceFrame): string {
  if (frame !== null) return `Key-frame ${index}: ${formatFrame(frame, time_secs)}`;
  return index === 0 ? "View at the start" : `View after move ${index}`;
}
