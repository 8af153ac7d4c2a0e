import type { Decided, StatedAction } from "./types.ts";

/** Says what is right of a way; where that is what was said already, it is called right. */
export function judgeAction(
  about: { frame: number; from_frame: number; said_by: string; said_action: StatedAction | null },
  right_action: StatedAction | null,
): Decided {
  const { said_action } = about;
  return said_action !== null && said_action === right_action
    ? { kind: "action_right", ...about, said_action }
    : { kind: "action_wrong", ...about, right_action };
}
