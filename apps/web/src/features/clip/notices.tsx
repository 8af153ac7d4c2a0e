import { Button } from "@mantine/core";
import type { Clip, Job } from "@sightline/core/clips";
import type { FrameSource } from "@sightline/ui/player";
import { StatusMark, type Tone } from "@sightline/ui/status";
import type { ReactNode } from "react";
import classes from "./notices.module.css";
import { type Frames, useSourceValue } from "./use-frame-source.ts";

type Notice = { key: string; tone: Tone; text: ReactNode };

/** What a person should know of the pictures on screen, each in one quiet line. */
export function Notices({
  clip,
  frames,
  frame,
  out_of_range,
  proxy_job,
}: {
  clip: Clip;
  frames: Frames;
  frame: number;
  /** The frame that the URL asked for in vain; null when it has one that exists. */
  out_of_range: number | null;
  proxy_job: Job | null;
}) {
  const status = useSourceValue(frames.source, (source) => source.status);
  const frame_problem = useSourceValue(frames.source, (source: FrameSource) => source.problemOf(frame));
  const notices: Notice[] = [];
  if (out_of_range !== null) {
    notices.push({
      key: "range",
      tone: "part",
      text: `This clip ends at frame ${frame}; the link asked for frame ${out_of_range}.`,
    });
  }
  if (clip.emptied_secs !== null) {
    notices.push({
      key: "emptied",
      tone: "part",
      text: "The video of this clip was deleted with the trash; thumbnails are left. Add the same file again to bring it back.",
    });
  } else if (clip.trashed_secs !== null) {
    notices.push({ key: "trash", tone: "part", text: "This clip is in the trash." });
  }
  if (clip.state === "partial" && clip.problem !== null) {
    notices.push({ key: "partial", tone: "part", text: clip.problem });
  }
  if (status?.state === "unreachable") {
    notices.push({ key: "offline", tone: "waiting", text: "The server can't be reached; trying again …" });
  }
  if (status?.state === "failed" && frames.refusal === null) {
    notices.push({
      key: "failed",
      tone: "wrong",
      text: (
        <>
          {status.problem}{" "}
          <Button size="compact-xs" variant="default" onClick={frames.retry}>
            Try again
          </Button>
        </>
      ),
    });
  }
  if (frame_problem !== null) notices.push({ key: "frame", tone: "part", text: frame_problem });
  const playback = describePlayback(clip, frames, proxy_job);
  if (playback !== null) notices.push(playback);

  if (notices.length === 0) return null;
  return (
    <ul className={classes.notices} aria-label="Notes on this clip">
      {notices.map(({ key, tone, text }) => (
        <li key={key} className={classes.notice} data-notice={key}>
          <StatusMark tone={tone} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

function describePlayback(clip: Clip, frames: Frames, proxy_job: Job | null): Notice | null {
  if (frames.by === "original" || clip.emptied_secs !== null) return null;
  if (frames.by === "proxy") {
    return {
      key: "proxy",
      tone: "quiet",
      text: "The browser plays a copy of this clip with the same frames.",
    };
  }
  const why =
    frames.refusal === null ? "A browser can't play this file" : `This browser can't ${frames.refusal}`;
  if (clip.playback_problem !== null) {
    return {
      key: "proxy",
      tone: "wrong",
      text: `${why}. ${clip.playback_problem} The server draws each frame instead.`,
    };
  }
  const share =
    proxy_job?.total == null || proxy_job.total === 0
      ? ""
      : ` (${Math.floor((100 * proxy_job.done) / proxy_job.total)} %)`;
  const making = clip.playback === "none" ? ` A copy with the same frames is being made${share}.` : "";
  return {
    key: "proxy",
    tone: clip.playback === "none" ? "busy" : "part",
    text: `${why}.${making} The server draws each frame.`,
  };
}
