import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { explainPerson, type ShownFrame } from "./decisions/shown-frames.ts";
import classes from "./reasons.module.css";
import { explain } from "./sampled.ts";

/** Why a frame is a key-frame, or none: the person's word first, then the extractor's. */
export function Reasons({ shown, settings }: { shown: ShownFrame; settings: KeyFrameSettings }) {
  const person = explainPerson(shown);
  const extractor = shown.decision && explain(shown.decision, settings);
  const note = shown.person?.note ?? null;
  return (
    <>
      {person !== null && <span className={classes.person}>{person}</span>}
      <span>
        {extractor === null ? (
          "Not sampled: the extractor never looked at it"
        ) : (
          <>
            <b>{extractor.verdict}</b>: {extractor.reason}
          </>
        )}
      </span>
      {note !== null && (
        <span className={classes.note} data-testid="frame-note">
          {note.by.author}: {note.text}
        </span>
      )}
    </>
  );
}
