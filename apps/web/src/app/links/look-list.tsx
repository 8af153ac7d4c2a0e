import { formatClock } from "@sightline/core/format";
import type { CheckedLinks, Look } from "@sightline/core/links";
import { Link } from "@tanstack/react-router";
import classes from "./links.module.css";

type Props = {
  looks: readonly Look[];
  report: CheckedLinks;
  text: string;
  prompt: string | null;
  onPoint: (point: number | null) => void;
};

/** What to look at: frames lead to the clip, its triples beside it; words are quoted, and light up what they are about. */
export function LookList({ looks, report: { clip, triple_set_id }, text, prompt, onPoint }: Props) {
  if (looks.length === 0) return null;
  return (
    <ul className={classes.looks}>
      {looks.map((look) => {
        const lit = {
          onMouseEnter: () => onPoint(look.point),
          onMouseLeave: () => onPoint(null),
          onFocus: () => onPoint(look.point),
          onBlur: () => onPoint(null),
        };
        if (look.kind === "frame")
          return (
            clip && (
              <li key={`frame ${look.frame} ${look.label}`}>
                <Link
                  to="/clips/$clipId"
                  params={{ clipId: clip.clip_id }}
                  search={{
                    frame: look.frame,
                    tab: "triples",
                    ...(triple_set_id && { triples: triple_set_id }),
                  }}
                  className={classes.frame}
                  {...lit}
                >
                  <img
                    src={`/media/clips/${clip.clip_id}/frames/${look.frame}.jpg?width=320`}
                    alt=""
                    width={56}
                    height={42}
                    loading="lazy"
                  />
                  <span>
                    {look.label}
                    <br />
                    <span className={classes.quiet}>
                      frame {look.frame} · {formatClock(look.time_secs)}
                    </span>
                  </span>
                </Link>
              </li>
            )
          );
        const words = (look.kind === "text" ? text : (prompt ?? "")).slice(look.from, look.to).trim();
        if (words === "") return null;
        return (
          <li key={`${look.kind} ${look.from} ${look.to}`}>
            <button type="button" className={classes.quote} title={look.label} {...lit}>
              <span className={classes.quiet}>{look.label}</span> <q>{shorten(words)}</q>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const MOST = 160;
const shorten = (words: string) => (words.length <= MOST ? words : `${words.slice(0, MOST)} …`);
