import { Tooltip } from "@mantine/core";
import type { PersonAction } from "@sightline/core/decisions";
import { IconCheck, IconX } from "@tabler/icons-react";
import classes from "./person-word.module.css";

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
