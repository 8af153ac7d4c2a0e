import { ACTIONS } from "@sightline/core/worlds";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const ClipId = z.object({
  clip_id: z.string().regex(/^[0-9a-f]{64}$/, { error: "A clip is named by its content hash." }),
});
const SettingsHash = z.string().regex(/^[0-9a-f]{16}$/);
const Frame = z.int().min(0).max(100_000_000);
const Version = z.int().min(0).max(100_000_000);
const Stated = z.enum([...ACTIONS, "unclear"]);
const DecisionId = z.uuid({ error: "A decision needs an id of its own (a UUID)." });
const OfWay = { frame: Frame, from_frame: Frame, said_by: z.string().trim().min(1).max(300) };

const Decided = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("keep"), frame: Frame }),
  z.object({ kind: z.literal("drop"), frame: Frame }),
  z.object({ kind: z.literal("add"), frame: Frame }),
  z.object({ kind: z.literal("shift"), frame: Frame, to_frame: Frame }),
  z.object({ kind: z.literal("action_right"), ...OfWay, said_action: Stated }),
  z.object({
    kind: z.literal("action_wrong"),
    ...OfWay,
    said_action: Stated.nullable(),
    right_action: Stated.nullable(),
  }),
  z.object({ kind: z.literal("note"), frame: Frame, note: z.string().trim().max(2000) }),
  z.object({ kind: z.literal("undo"), undoes: DecisionId }),
  z.object({ kind: z.literal("redo"), undoes: DecisionId }),
  z.object({ kind: z.literal("return"), to_version: Version }),
]);

export const decisionsRouter = router({
  follow: procedure.input(ClipId).subscription(async function* ({ ctx, input, signal }) {
    const { decisions } = ctx.app;
    const stop = signal ?? new AbortController().signal;
    yield* follow(decisions.bell, stop, () => decisions.listOfClip(input.clip_id));
  }),
  list: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.decisions.listOfClip(input.clip_id)),
  /** Geometry's word on the way to each of these frames from the one before. */
  motions: procedure
    .input(ClipId.extend({ settings_hash: SettingsHash, frames: z.array(Frame).max(10_000) }))
    .query(({ ctx, input, signal }) =>
      ctx.app.decisions.lookAtMotions(
        input.clip_id,
        input.settings_hash,
        input.frames,
        signal ?? new AbortController().signal,
      ),
    ),
  decide: procedure
    .input(
      ClipId.extend({
        decision_id: DecisionId,
        settings_hash: SettingsHash,
        decided: Decided,
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.decisions.decide(input)),
  signature: procedure.query(({ ctx }) => ctx.app.decisions.getSignature()),
  setSignature: procedure
    .input(z.object({ name: z.string().trim().min(1, { error: "A name has at least one letter." }).max(60) }))
    .mutation(({ ctx, input }) => ctx.app.decisions.setSignature(input.name)),
});
