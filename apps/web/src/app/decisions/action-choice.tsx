import { Kbd } from "@mantine/core";
import type { StatedAction } from "@sightline/core/decisions";
import type { KeyboardEvent } from "react";
import classes from "./action-choice.module.css";
import { ACTION_KEYS } from "./actions.ts";

const CHOICES: readonly { key: string; action: StatedAction | null }[] = [
  ...ACTION_KEYS,
  { key: "W", action: null },
];

/** The ten actions under their digits. */
export function ActionChoice({ onChoose }: { onChoose(action: StatedAction | null): void }) {
  function onKeyDown(event: KeyboardEvent): void {
    const chosen = CHOICES.find(({ key }) => key === event.key.toUpperCase());
    if (chosen === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(chosen.action);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the digits choose while a button within has the focus.
    <div className={classes.actions} onKeyDown={onKeyDown}>
      {CHOICES.map(({ key, action }) => (
        <button key={key} type="button" className={classes.action} onClick={() => onChoose(action)}>
          <Kbd size="xs">{key}</Kbd>
          {action ?? "only wrong"}
        </button>
      ))}
    </div>
  );
}
