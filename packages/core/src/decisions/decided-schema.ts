import { z } from "zod";
import { toOneLine } from "../format/index.ts";
import { ACTIONS } from "../worlds/types.ts";

const Frame = z.int().min(0).max(100_000_000);
const Version = z.int().min(0).max(100_000_000);
export const StatedActionSchema = z.enum([...ACTIONS, "unclear"]);
const DecisionId = z.uuid({ error: "A decision needs an id of its own (a UUID)." });
const OfWay = { frame: Frame, from_frame: Frame, said_by: z.string().trim().min(1).max(300) };

/** What a decision belongs to, as it comes from outside. */
export const DecisionPlaceSchema = z.object({
  decision_id: DecisionId,
  clip_id: z.string().regex(/^[0-9a-f]{64}$/, { error: "A clip is named by its content hash." }),
  settings_hash: z.string().regex(/^[0-9a-f]{16}$/),
});

/** What a page says of key-frames, as it comes from outside; an import comes from files only. */
export const DecidedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("keep"), frame: Frame }),
  z.object({ kind: z.literal("drop"), frame: Frame }),
  z.object({ kind: z.literal("add"), frame: Frame }),
  z.object({ kind: z.literal("shift"), frame: Frame, to_frame: Frame }),
  z.object({ kind: z.literal("action_right"), ...OfWay, said_action: StatedActionSchema }),
  z.object({
    kind: z.literal("action_wrong"),
    ...OfWay,
    said_action: StatedActionSchema.nullable(),
    right_action: StatedActionSchema.nullable(),
  }),
  z.object({ kind: z.literal("note"), frame: Frame, note: z.string().overwrite(toOneLine).max(2000) }),
  z.object({ kind: z.literal("undo"), undoes: DecisionId }),
  z.object({ kind: z.literal("redo"), undoes: DecisionId }),
  z.object({ kind: z.literal("return"), to_version: Version }),
]);
