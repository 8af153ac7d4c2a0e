import { Tooltip } from "@mantine/core";
import type { PersonAction } from "@sightline/core/decisions";
import type { Motion } from "@sightline/core/motion";
import { PersonWord } from "../../../app/decisions/person-word.tsx";
import classes from "./action-words.module.css";

/** What the camera did on the way to a key-frame: geometry's word, and the person's beside it. */
export function ActionWords({ motion, person }: { motion: Motion | null; person: PersonAction | null }) {
  const is_contradicted = person?.verdict === "wrong" && person.said_action === motion?.action;
  const sure = motion?.confidence == null ? "" : ` ${Math.round(motion.confidence * 100)} %`;
  return (
    <>
      {motion !== null && (
        <Tooltip label={motion.reason} multiline maw={340} openDelay={400}>
          <span
            className={classes.geometry}
            data-contradicted={is_contradicted}
            data-testid="geometry-action"
          >
            {motion.action}
            {!is_contradicted && sure}
          </span>
        </Tooltip>
      )}
      {person !== null && <PersonWord person={person} />}
    </>
  );
}
