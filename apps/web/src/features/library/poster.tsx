import type { Clip } from "@sightline/core/clips";
import { IconMovie, IconMovieOff } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./poster.module.css";

/** A clip's first frame, whole, on a dark ground; an icon where there is none. */
export function Poster({ clip, width }: { clip: Clip; width: number }) {
  const [isMissing, setMissing] = useState(false);
  const hasPictures = clip.state === "ready" || clip.state === "partial";
  if (!hasPictures || isMissing) {
    const Icon = clip.state === "refused" ? IconMovieOff : IconMovie;
    return (
      <div className={classes.none}>
        <Icon size={width > 100 ? 26 : 16} stroke={1.3} aria-hidden />
      </div>
    );
  }
  return (
    <img
      className={classes.picture}
      src={`/media/clips/${clip.clip_id}/frames/0.jpg?width=${width}`}
      alt=""
      draggable={false}
      decoding="async"
      onError={() => setMissing(true)}
    />
  );
}
