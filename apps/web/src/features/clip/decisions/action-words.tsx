import { Tooltip } from "@mantine/core";
import type { PersonAction } from "@sightline/core/decisions";
import type { Motion } from "@sightline/core/motion";
import { IconCheck, IconX } from "@tabler/icons-react";
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

/** A person's word on an action: right, or wrong and what is right. */
export function PersonWord({ person }: { person: PersonAction }) {
  const { verdict, action, by, said_by, said_action } = person;
  const Icon = verdict === "right" ? IconCheck : IconX;
  const said = said_action === null ? "" : ` (${said_by} said ${said_action})`;
  return (
    <Tooltip
      label={`${by.author}: ${verdict}${action !== null && verdict === "wrong" ? `, it is ${action}` : ""}${said}`}
      multiline
      maw={340}
      openDelay={400}
    >
      <span className={classes.person} data-testid="person-action" data-verdict={verdict}>
        <Icon size={12} stroke={2.4} aria-hidden />
        {by.author}: {verdict === "right" ? "right" : (action ?? "wrong")}
      </span>
    </Tooltip>
  );
}
