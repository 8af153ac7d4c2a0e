import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const ClipId = z.string().regex(/^[0-9a-f]{64}$/);
const SettingsHash = z.string().regex(/^[0-9a-f]{16}$/);
const Choices = z.object({
  clips: z
    .array(
      z.object({
        clip_id: ClipId,
        settings_hash: SettingsHash.optional(),
        version: z.int().min(0).optional(),
      }),
    )
    .min(1)
    .max(10_000),
});
const ImportId = z.object({ import_id: z.uuid() });
const Wish = ImportId.extend({
  clip_id: ClipId.optional(),
  settings_hash: SettingsHash.optional(),
  base: z.literal([0, 1]).optional(),
});
const Made = z.object({
  decision_id: z.uuid(),
  clip_id: ClipId,
  settings_hash: SettingsHash,
  version: z.int().min(0),
});

export const exchangeRouter = router({
  plan: procedure.input(Choices).query(({ ctx, input }) => ctx.app.exchange.exports.plan(input.clips)),
  start: procedure
    .input(Choices.extend({ format: z.enum(["released", "csv", "cvat", "label-studio", "fiftyone"]) }))
    .mutation(({ ctx, input }) => ctx.app.exchange.exports.start(input.clips, input.format)),
  preview: procedure.input(Wish).query(({ ctx, input }) => ctx.app.exchange.imports.preview(input)),
  import: procedure
    .input(Wish.extend({ versions: z.record(ClipId, z.int().min(0)) }))
    .mutation(({ ctx, input: { versions, ...wish } }) => ctx.app.exchange.imports.apply(wish, versions)),
  undo: procedure
    .input(z.object({ made: z.array(Made).min(1).max(10_000) }))
    .mutation(({ ctx, input }) => ctx.app.exchange.imports.undo(input.made)),
  forget: procedure
    .input(ImportId)
    .mutation(({ ctx, input }) => ctx.app.exchange.imports.forget(input.import_id)),
});
