import type { StatedAction } from "@sightline/core/decisions";
import { ACTIONS } from "@sightline/core/worlds";

/** The actions in the order of their keys: 1 to 9, then 0; U where it can't be told. */
export const ACTION_KEYS: readonly { key: string; action: StatedAction }[] = [
  ...ACTIONS.map((action, i) => ({ key: String((i + 1) % 10), action })),
  { key: "U", action: "unclear" as const },
];
